package io.tony.config.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

/** Which roles wait for which, what decides the end, and the tasks that options imply. */
public class JobShapeTest {
  private static TonyConfig config(String... keysAndValues) {
    List<String> all = new ArrayList<>(List.of("tony.application.executes", "run"));
    all.addAll(List.of(keysAndValues));
    return JobSpecReaderTest.config(all.toArray(new String[0]));
  }

  private static JobSpec job(String... keysAndValues) {
    Problems problems = new Problems();
    Optional<JobSpec> job = JobSpecReader.read(config(keysAndValues), problems);
    assertEquals(List.of(), problems.errors());
    return job.orElseThrow();
  }

  private static String error(String... keysAndValues) {
    Problems problems = new Problems();
    assertTrue(JobSpecReader.read(config(keysAndValues), problems).isEmpty());
    assertEquals(problems.errors().toString(), 1, problems.errors().size());
    return problems.errors().get(0);
  }

  // ---- Who waits for whom ----

  private static String[] three(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "tony.prep.instances", "1",
                "tony.worker.instances", "2",
                "tony.ps.instances", "1"));
    all.addAll(List.of(more));
    return all.toArray(new String[0]);
  }

  @Test
  public void shouldReadWhatARoleDependsOn() {
    JobSpec job = job(three("tony.worker.depends-on", "prep"));

    assertEquals(Set.of("prep"), job.role("worker").dependsOn());
    assertEquals(Set.of(), job.role("ps").dependsOn());
  }

  @Test
  public void shouldLetTheTrainingStageWaitForThePrepareStage() {
    JobSpec both =
        job(
            three(
                "tony.application.prepare-stage", "prep",
                "tony.application.training-stage", "worker"));
    assertEquals(Set.of("prep"), both.role("worker").dependsOn());
    assertEquals(Set.of(), both.role("ps").dependsOn());

    JobSpec prepareOnly = job(three("tony.application.prepare-stage", "prep"));
    assertEquals(Set.of("prep"), prepareOnly.role("worker").dependsOn());
    assertEquals(Set.of("prep"), prepareOnly.role("ps").dependsOn());

    JobSpec trainingOnly = job(three("tony.application.training-stage", "worker,ps"));
    assertEquals(Set.of("prep"), trainingOnly.role("ps").dependsOn());
    assertEquals(Set.of(), trainingOnly.role("prep").dependsOn());
  }

  @Test
  public void shouldRefuseToWaitForWhatMayNeverEnd() {
    assertEquals(
        "role worker waits for the end of ps, which is untracked and may never end: take it out of"
            + " tony.application.untracked.roles, or do not wait for it",
        error(three("tony.worker.depends-on", "ps")));
  }

  @Test
  public void shouldRefuseARoleInBothStages() {
    assertTrue(
        error(
                three(
                    "tony.application.prepare-stage", "prep,worker",
                    "tony.application.training-stage", "worker"))
            .contains("both name worker"));
  }

  // ---- What decides the end ----

  @Test
  public void shouldReadHowLongARoleMayOutliveAGroup() {
    JobSpec job =
        job(
            three(
                "tony.application.group.A", "worker,ps",
                "tony.application.dependency.prep.timeout.after.A", "3600",
                "tony.application.dependency.prep.timeout.after.A.ignored", "true"));

    assertEquals(
        List.of(new GroupTimeout("prep", "A", Set.of("worker", "ps"), Duration.ofHours(1), true)),
        job.endPolicy().timeouts());
  }

  @Test
  public void shouldRefuseGroupsThatDoNotFit() {
    String key = "tony.application.dependency.prep.timeout.after.A";
    assertEquals(
        key + "=60 (job) names the group A, which is not there: set tony.application.group.A",
        error(three(key, "60")));
    assertTrue(
        error(three(key, "60", "tony.application.group.A", "prep"))
            .contains("of which prep is a member"));
    assertEquals(
        "tony.application.group.A=wroker (job) names the role wroker, which the job does not have:"
            + " did you mean worker?",
        error(three(key, "60", "tony.application.group.A", "wroker")));
    assertTrue(
        error(three(key, "0", "tony.application.group.A", "worker")).contains("is no limit"));
  }

  /** Platforms set the groups and the lists for all roles that a job may have. */
  @Test
  public void shouldRunAJobThatNamesRolesWhichItDoesNotHave() {
    Problems problems = new Problems();
    String limit = "tony.application.dependency.worker.timeout.after.train";
    Optional<JobSpec> job =
        JobSpecReader.read(
            JobSpecReaderTest.config(
                "tony.chief.instances",
                "1",
                "tony.worker.instances",
                "1",
                "tony.board.instances",
                "0",
                "tony.application.executes",
                "run",
                "tony.application.group.train",
                "chief,ps,evaluator,board",
                "tony.application.group.none",
                "ps",
                limit,
                "3600",
                "tony.application.dependency.chief.timeout.after.none",
                "60",
                "tony.application.dependency.board.timeout.after.train2",
                "60",
                "tony.application.group.train2",
                "chief,evaluator",
                "tony.application.dependency.evaluator.timeout.after.train2",
                "60",
                "tony.application.dependency.evaluator.timeout.after.train2.ignored",
                "true",
                "tony.application.untracked.roles",
                "ps,evaluator",
                "tony.application.stop-on-failure-roles",
                "ps,evaluator",
                "tony.application.sidecar.roles",
                "tensorboard,panel"),
            problems);

    assertEquals(List.of(), problems.errors());
    assertEquals(
        List.of(new GroupTimeout("worker", "train", Set.of("chief"), Duration.ofHours(1), false)),
        job.orElseThrow().endPolicy().timeouts());
    String absent = ", which the job does not have: it has no effect";
    String train = "tony.application.group.train=chief,ps,evaluator,board (job) names the role ";
    assertEquals(
        Set.of(
            train + "ps" + absent,
            train + "evaluator" + absent,
            "tony.application.group.none=ps (job) names the role ps" + absent,
            "tony.application.group.train2=chief,evaluator (job) names the role evaluator" + absent,
            "tony.application.dependency.evaluator.timeout.after.train2=60 (job) names the role"
                + " evaluator"
                + absent,
            "tony.application.untracked.roles=ps,evaluator (job) names the role ps" + absent,
            "tony.application.untracked.roles=ps,evaluator (job) names the role evaluator" + absent,
            "tony.application.stop-on-failure-roles=ps,evaluator (job) names the role ps" + absent,
            "tony.application.stop-on-failure-roles=ps,evaluator (job) names the role evaluator"
                + absent,
            "tony.application.sidecar.roles=tensorboard,panel (job) names the role tensorboard"
                + absent,
            "tony.application.sidecar.roles=tensorboard,panel (job) names the role panel" + absent),
        Set.copyOf(problems.warnings()));
  }

  @Test
  public void shouldRefuseToGoOnWithoutTheOnlyRoleThatTheJobWaitsFor() {
    String limit = "tony.application.dependency.worker.timeout.after.A";
    assertEquals(
        limit
            + ".ignored=true (job) lets the job succeed without worker, the only role that it waits"
            + " for: remove the key",
        error(
            "tony.worker.instances",
            "2",
            "tony.ps.instances",
            "1",
            "tony.application.group.A",
            "ps",
            limit,
            "60",
            limit + ".ignored",
            "true"));
  }

  @Test
  public void shouldRefuseToGoOnWithoutTheChiefThatDecides() {
    String limit = "tony.application.dependency.worker.timeout.after.A";
    String[] keys =
        three("tony.application.group.A", "prep", limit, "60", limit + ".ignored", "true");
    assertEquals(true, job(keys).endPolicy().timeouts().get(0).ignored());

    List<String> decided = new ArrayList<>(List.of(keys));
    decided.addAll(List.of("tony.application.success-policy", "CHIEF"));
    assertEquals(
        limit
            + ".ignored=true (job) lets the job succeed without worker, its chief, for which"
            + " tony.application.success-policy=CHIEF (job) waits: remove one of the two",
        error(decided.toArray(new String[0])));
  }

  @Test
  public void shouldLetTheChiefDecideOnlyWhereTheJobWaitsForIt() {
    String policy = "tony.application.success-policy";
    assertEquals(true, job(three(policy, "chief")).endPolicy().chiefDecides());
    assertTrue(
        error(three(policy, "CHIEF", "tony.application.sidecar.roles", "worker"))
            .contains("the job does not wait for worker"));
  }

  // ---- What TonY runs in the ApplicationMaster's container ----

  @Test
  public void shouldPreprocessInATaskThatAllOthersWaitFor() {
    JobSpec job =
        job(
            "tony.worker.instances", "2",
            "tony.worker.command", "train",
            "tony.am.memory", "3g",
            "tony.application.enable-preprocess", "true");

    RoleSpec preprocess = job.roles().get(0);
    assertEquals("preprocess", preprocess.name());
    assertEquals("run", preprocess.command());
    assertEquals("true", preprocess.env().get("PREPROCESSING_JOB"));
    assertEquals(new ResourceSpec(3072, 1), preprocess.resource());
    assertEquals(Set.of("preprocess"), job.role("worker").dependsOn());
    assertEquals("train", job.role("worker").command());
  }

  @Test
  public void shouldRunAJobWhoseRolesHaveNoInstancesAsOneTask() {
    JobSpec job =
        job(
            "tony.worker.instances", "0",
            "tony.ps.instances", "0",
            "tony.am.memory", "4g",
            "tony.am.vcores", "2");

    assertEquals(1, job.taskCount());
    assertEquals(new ResourceSpec(4096, 2), job.roles().get(0).resource());
    assertEquals("worker:0", job.chief().toString());
  }

  /** As TonY did, in its ApplicationMaster. */
  @Test
  public void shouldRunAJobWithoutRolesAsOneTaskAndSaySo() {
    for (String[] options :
        List.of(new String[] {"tony.am.memory", "4g"}, new String[] {"tony.worker.memory", "4g"})) {
      Problems problems = new Problems();
      JobSpec job = JobSpecReader.read(config(options), problems).orElseThrow();

      assertEquals(1, job.taskCount());
      String size = options[0].contains("am") ? "4096" : "2048";
      assertEquals(
          List.of(
              "no role has an instance: the job runs its command once, in a container of the"
                  + " ApplicationMaster's size ("
                  + size
                  + " MiB, 1 vcore, tony.am.*). For more, set tony.worker.instances"),
          problems.warnings());
    }
  }

  /** Neither of the two has instances in the configuration, and both run. */
  @Test
  public void shouldWantAnImageForWhatTheMasterWouldHaveRun() {
    assertEquals(
        "tony.docker.enabled=true (job), and role preprocess has no image: set"
            + " tony.docker.preprocess.image or tony.docker.containers.image",
        error(
            "tony.worker.instances", "1",
            "tony.application.enable-preprocess", "true",
            "tony.docker.enabled", "true",
            "tony.docker.worker.image", "torch"));
    assertEquals(
        "tony.docker.enabled=true (job), and role worker has no image: set"
            + " tony.docker.worker.image or tony.docker.containers.image",
        error("tony.worker.instances", "0", "tony.docker.enabled", "true"));
  }

  @Test
  public void shouldPreprocessInTheImageThatIsNamedForIt() {
    Problems problems = new Problems();
    JobSpec job =
        JobSpecReader.readLeniently(
            config(
                "tony.worker.instances", "1",
                "tony.application.enable-preprocess", "true",
                "tony.docker.enabled", "true",
                "tony.docker.worker.image", "torch",
                "tony.docker.preprocess.image", "spark"),
            problems);

    assertTrue(problems.toString(), problems.isEmpty());
    assertEquals("spark", job.role("preprocess").docker().image());
  }

  @Test
  public void shouldRefuseARoleOfThePreprocessingsName() {
    assertTrue(
        error(
                "tony.preprocess.instances", "1",
                "tony.application.enable-preprocess", "true")
            .contains("which the job has already"));
  }
}
