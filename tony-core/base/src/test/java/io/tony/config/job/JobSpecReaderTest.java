package io.tony.config.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.model.DistributedMode;
import io.tony.model.FileSpec;
import io.tony.model.JobLimits;
import io.tony.model.JobSpec;
import io.tony.model.ProgramSignal;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.Test;

public class JobSpecReaderTest {
  private static final String FILE_RULE =
      " SOURCE[::NAME][#archive], where NAME is a single name without / and, as YARN links it by a"
          + " shell, without quotes, $, ` and \\";

  /** A configuration of one source that is called {@code job}. */
  static TonyConfig config(String... keysAndValues) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return TonyConfig.builder().layer("job", values).build();
  }

  /** The smallest job, and what a test adds to it. */
  static TonyConfig worker(String... keysAndValues) {
    String[] all = new String[keysAndValues.length + 4];
    all[0] = "tony.worker.instances";
    all[1] = "1";
    all[2] = "tony.application.executes";
    all[3] = "run";
    System.arraycopy(keysAndValues, 0, all, 4, keysAndValues.length);
    return config(all);
  }

  private static JobSpec job(TonyConfig config) {
    Problems problems = new Problems();
    Optional<JobSpec> job = JobSpecReader.read(config, problems);
    assertEquals(List.of(), problems.errors());
    return job.orElseThrow();
  }

  private static List<String> errors(TonyConfig config) {
    Problems problems = new Problems();
    assertEquals(Optional.empty(), JobSpecReader.read(config, problems));
    return problems.errors();
  }

  private static List<String> warnings(TonyConfig config) {
    Problems problems = new Problems();
    assertTrue(JobSpecReader.read(config, problems).isPresent());
    return problems.warnings();
  }

  @Test
  public void shouldReadAWholeJob() {
    JobSpec job =
        job(
            config(
                "tony.azkaban.job", "train",
                "tony.application.framework", "pytorch",
                "tony.application.distributed-mode", "fcfs",
                "tony.ps.instances", "1",
                "tony.worker.instances", "4",
                "tony.worker.memory", "4g",
                "tony.worker.vcores", "2",
                "tony.worker.gpus", "1",
                "tony.worker.node-label", "gpu",
                "tony.worker.resources", "hdfs://nn/data.csv::in.csv",
                "tony.worker.env", "A=role",
                "tony.tensorboard.instances", "1",
                "tony.tensorboard.command", "tensorboard --logdir x",
                "tony.evaluator.instances", "0",
                "tony.containers.resources", "lib.zip#archive",
                "tony.containers.envs", "A=1,B=1",
                "tony.execution.envs", "B=2,C=2",
                "tony.execution.env.C", "3",
                "tony.application.executes", "train.py",
                "tony.application.timeout", "2h",
                "tony.container.allocation.timeout", "-1",
                "tony.gang.max-restarts", "2"));
    RoleSpec worker = job.role("worker");
    TreeMap<String, Long> gpus = new TreeMap<>(Map.of("yarn.io/gpu", 1L));
    FileSpec lib = new FileSpec("lib.zip", "lib.zip", true);
    assertEquals("train", job.name());
    assertEquals("pytorch", job.framework());
    assertEquals(DistributedMode.FCFS, job.mode());
    assertEquals(
        List.of("ps", "worker", "tensorboard"), job.roles().stream().map(RoleSpec::name).toList());
    assertEquals(new ResourceSpec(4096, 2, gpus), worker.resource());
    assertEquals(new ResourceSpec(2048, 1), job.role("ps").resource());
    assertEquals("gpu", worker.placement().nodeLabel());
    assertEquals(List.of(lib), job.files());
    assertEquals(List.of(new FileSpec("hdfs://nn/data.csv", "in.csv", false)), worker.files());
    assertEquals(Map.of("A", "1", "B", "2", "C", "3"), job.env());
    assertEquals(Map.of("A", "role"), worker.env());
    assertEquals(Supervision.UNTRACKED, job.role("ps").supervision());
    assertEquals(Supervision.TRACKED, worker.supervision());
    assertEquals(Supervision.SIDECAR, job.role("tensorboard").supervision());
    assertEquals("tensorboard --logdir x", job.role("tensorboard").command());
    assertEquals("train.py", worker.command());
    assertTrue(job.endPolicy().failOnAnyTask());
    assertEquals(20, job.maxErrorLines());
    assertEquals(
        new JobLimits(
            Duration.ofHours(2),
            Duration.ZERO,
            Duration.ofMinutes(2),
            Duration.ofSeconds(10),
            Duration.ofMinutes(15),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofSeconds(1),
            25,
            Duration.ofMinutes(15),
            Duration.ofSeconds(3),
            new JobLimits.Elasticity(Duration.ofSeconds(30), Duration.ofMinutes(10), false),
            new JobLimits.CheckpointRequests(Duration.ofSeconds(60), ProgramSignal.NONE),
            new JobLimits.Retries(2, 3, 20, true)),
        job.limits());
  }

  @Test
  public void shouldNameTheJobAfterItsOptionOrItsAzkabanJob() {
    assertEquals("tony", job(worker()).name());
    assertEquals("train", job(worker("tony.azkaban.job", "train")).name());
    assertEquals(
        "mine", job(worker("tony.azkaban.job", "x", "tony.application.name", "mine")).name());
  }

  @Test
  public void shouldReportAllProblemsAtOnce() {
    assertEquals(
        List.of(
            "tony.worker.memmory (job) is not an option: did you mean tony.worker.memory?",
            "tony.am.vcores=0 (job): expected a whole number, at least 1",
            "tony.worker.memory=2 (job): expected a size of at least 64 MiB, such as 2g or 512m (a"
                + " number without a unit is in MiB)",
            "role worker has no command: set executes (tony.application.executes),"
                + " tony.worker.command or tony.containers.command",
            "tony.docker.enabled=true (job), and role worker has no image: set"
                + " tony.docker.worker.image or tony.docker.containers.image"),
        errors(
            config(
                "tony.worker.instances", "1",
                "tony.worker.memmory", "2g",
                "tony.worker.memory", "2",
                "tony.am.vcores", "0",
                "tony.docker.enabled", "true")));
  }

  @Test
  public void shouldRefuseAJobWithoutACommand() {
    String message = "the job has no command: set executes (tony.application.executes)";
    assertEquals(List.of(message), errors(config()));
  }

  @Test
  public void shouldRefuseNegativeNumbers() {
    assertEquals(
        List.of(
            "tony.worker.gpus=-1 (job): expected a whole number, at least 0",
            "tony.worker.memory=-1 (job): expected a size of at least 64 MiB, such as 2g or 512m (a"
                + " number without a unit is in MiB)"),
        errors(worker("tony.worker.gpus", "-1", "tony.worker.memory", "-1")));
  }

  @Test
  public void shouldRefuseAJobThatWaitsForNoRole() {
    assertEquals(
        List.of(
            "the job waits for none of its roles [ps]: take one out of"
                + " tony.application.untracked.roles or tony.application.sidecar.roles"),
        errors(config("tony.ps.instances", "1", "tony.ps.command", "run")));
  }

  @Test
  public void shouldPreferTheRolesOwnCommand() {
    JobSpec job =
        job(
            worker(
                "tony.chief.instances", "1",
                "tony.chief.command", "lead",
                "tony.containers.command", "all"));
    assertEquals("lead", job.role("chief").command());
    assertEquals("all", job.role("worker").command());
  }

  @Test
  public void shouldWarnOfACommandThatIsOneQuotedString() {
    assertEquals(
        List.of(
            "tony.containers.command='sh serve.sh --ip=*' (job) is one quoted string: bash takes all"
                + " of it for the name of one program. Leave out the quotes around the whole"
                + " command"),
        warnings(worker("tony.containers.command", "'sh serve.sh --ip=*'")));
    assertEquals(List.of(), warnings(worker("tony.containers.command", "'serve.sh' 'a b'")));
    assertEquals(List.of(), warnings(worker("tony.worker.command", "\"$PROGRAM\"")));
  }

  @Test
  public void shouldBuildTheCommandFromTheProgramAndItsParameters() {
    assertEquals(
        "run --x 'a  b' \"$HOME\" ",
        job(worker("tony.application.task-params", "--x 'a  b' \"$HOME\" "))
            .roles()
            .get(0)
            .command());
    assertEquals(
        "/usr/bin/python3 run",
        job(worker(
                "tony.application.python-binary-path", "/usr/bin/python3",
                "tony.application.python-venv", "env.zip"))
            .role("worker")
            .command());
    assertEquals(
        "bin/python run",
        job(worker("tony.application.python-binary-path", "bin/python")).role("worker").command());
  }

  @Test
  public void shouldShipThePythonEnvironmentAndRunItsInterpreter() {
    JobSpec job =
        job(
            worker(
                "tony.application.python-binary-path", "bin/python",
                "tony.application.python-venv", "hdfs://nn/env.tar.gz"));
    assertEquals("venv/bin/python run", job.role("worker").command());
    assertEquals(List.of(new FileSpec("hdfs://nn/env.tar.gz", "venv", true)), job.files());
  }

  @Test
  public void shouldRefuseAPythonEnvironmentThatIsNoArchive() {
    assertEquals(
        List.of(
            "tony.application.python-venv=env.rar (job) is not an archive that YARN unpacks: make it"
                + " a .zip, .tar.gz or .tgz"),
        errors(worker("tony.application.python-venv", "env.rar")));
  }

  @Test
  public void shouldTakeAJavaOnlyFromAnArchiveThatTheNodesCanFetch() {
    JobSpec job = job(worker("tony.java.archive", "hdfs:///apps/tony/jdk-17.0.15+8.tar.gz"));
    assertEquals("not a file of the tasks", List.of(), job.files());
    assertJavaRefused(
        "/opt/jdk17.tar.gz", " is a path of this machine, which the nodes cannot read");
    assertJavaRefused("file:///opt/jdk17.zip", " is a path of this machine, which the nodes");
    assertJavaRefused("hdfs:///apps/jdk17", " is not an archive that YARN unpacks: make it a .zip");
    assertJavaRefused("hdfs:///apps/$(id).zip", " has a name with quotes, $, ` or \\, which YARN");
    assertEquals(
        List.of(
            "tony.java.archive=hdfs:///jdk.zip (job) and tony.java.home=/opt/jdk (job) both name the"
                + " Java of TonY's processes: leave out one of them"),
        errors(worker("tony.java.archive", "hdfs:///jdk.zip", "tony.java.home", "/opt/jdk")));
    String secret =
        errors(worker("tony.java.archive", "https://me:s3cret@host/jdk.zip")).toString();
    assertTrue(secret, secret.contains("a URL with a password"));
    assertFalse(secret, secret.contains("s3cret"));
  }

  private static void assertJavaRefused(String archive, String reason) {
    List<String> errors = errors(worker("tony.java.archive", archive));
    assertEquals(errors.toString(), 1, errors.size());
    String expected = "tony.java.archive=" + archive + " (job)" + reason;
    assertTrue(errors.get(0), errors.get(0).startsWith(expected));
  }

  @Test
  public void shouldTakeExactValuesOfTheEnvironmentAsTheyAre() {
    String value = "  a,b=c\n$HOME `id` ; \"ü\" \\ \t";
    JobSpec job = job(worker("tony.execution.env.X", value, "tony.worker.env.Y", value));
    assertEquals(Map.of("X", value), job.env());
    assertEquals(Map.of("Y", value), job.role("worker").env());
  }

  @Test
  public void shouldRefuseNamesThatNoEnvironmentHas() {
    assertEquals(
        List.of(
            "tony.worker.env (job) names the environment variable '1B': use letters, digits and _,"
                + " and no digit first",
            "tony.execution.env.A-B (job) names the environment variable 'A-B': use letters, digits"
                + " and _, and no digit first",
            "tony.execution.env.C: the value of C holds a NUL character, which no environment can"
                + " hold"),
        errors(
            worker(
                "tony.execution.env.A-B", "1",
                "tony.execution.env.C", "a\0b",
                "tony.worker.env", "1B=2")));
  }

  @Test
  public void shouldRefuseAListOfVariablesWithAStrayComma() {
    assertEquals(
        List.of(
            "tony.execution.envs=A=1,2,C=3 (job): entry 2, after A=…, is none; expected NAME=VALUE,"
                + " separated by commas"),
        errors(worker("tony.execution.envs", "A=1,2,C=3")));
    List<String> ofSecret = errors(worker("tony.execution.envs", "TOKEN=ab,cd"));
    assertEquals(
        List.of(
            "tony.execution.envs=TOKEN=****** (job): entry 2, after TOKEN=…, is none; expected"
                + " NAME=VALUE, separated by commas"),
        ofSecret);
  }

  @Test
  public void shouldRefuseBadAndClashingFiles() {
    assertEquals(
        List.of(
            "tony.containers.resources (job) names the file 'a::b/c': write" + FILE_RULE,
            "tony.containers.resources (job) names the file 'd::..': write" + FILE_RULE,
            "tony.containers.resources (job) names the file 'e::$(id)': write" + FILE_RULE,
            "tony.containers.resources (job) names the file 'hdfs://h/a`b`::f': write" + FILE_RULE,
            "tony.worker.resources: x/data and data would both be named data in the task's working"
                + " directory: give one another name, SOURCE::NAME"),
        errors(
            worker(
                "tony.containers.resources", "a::b/c,d::..,e::$(id),hdfs://h/a`b`::f,data,data",
                "tony.worker.resources", "x/data")));
  }

  @Test
  public void shouldRefuseMoreThanTheCapsAllow() {
    assertEquals(
        List.of(
            "role worker asks for 3 tasks; the limit is 2 (tony.worker.max-instances, job): lower"
                + " tony.worker.instances",
            "the job's tasks ask for 3 tasks in all; the limit is 1 (tony.task.max-total-instances,"
                + " job): lower what the roles ask for",
            "the job's tasks ask for 6144 MiB of memory in all; the limit is 4096"
                + " (tony.task.max-total-memory, job): lower what the roles ask for",
            "the job's tasks ask for 6 gpus in all; the limit is 4 (tony.task.max-total-gpus, job):"
                + " lower what the roles ask for"),
        errors(
            worker(
                "tony.worker.instances", "3",
                "tony.worker.gpus", "2",
                "tony.worker.max-instances", "2",
                "tony.task.max-total-instances", "1",
                "tony.task.max-total-memory", "4g",
                "tony.task.max-total-vcores", "3",
                "tony.task.max-total-gpus", "4")));
  }

  @Test
  public void shouldCountWhatContainersMayGrowTo() {
    assertEquals(
        List.of(
            "the memory of role worker may grow without limit (tony.worker.memory-growth), and that"
                + " of the job has one (tony.task.max-total-memory, job): set"
                + " tony.worker.max-memory"),
        errors(
            worker(
                "tony.worker.memory-growth", "2",
                "tony.task.max-total-memory", "4g")));
    assertEquals(
        List.of(
            "the job's tasks ask for 5120 MiB of memory in all; the limit is 4096"
                + " (tony.task.max-total-memory, job): lower what the roles ask for"),
        errors(
            worker(
                "tony.worker.memory-growth", "2",
                "tony.worker.max-memory", "5g",
                "tony.task.max-total-memory", "4g")));
  }

  @Test
  public void shouldTakeMinusOneAsNoCap() {
    job(
        worker(
            "tony.worker.max-instances", "-1",
            "tony.task.max-total-instances", "-1",
            "tony.task.max-total-memory", "-1",
            "tony.task.max-total-gpus", "-1"));
  }

  @Test
  public void shouldCountBeyondAllNumbersAsMoreThanACap() {
    assertEquals(
        List.of(
            "the job's tasks ask for more than 9223372036854775807 MiB of memory in all; the limit"
                + " is 4096 (tony.task.max-total-memory, job): lower what the roles ask for"),
        errors(
            worker(
                "tony.worker.instances", "2000000000",
                "tony.worker.memory", "5000000000000m",
                "tony.task.max-total-memory", "4g")));
  }

  @Test
  public void shouldTellAMisspeltRoleFromOneThatIsNotInThisJob() {
    assertEquals(
        List.of(
            "tony.application.untracked.roles=servr,notebook (job) names the role servr, which"
                + " the job does not have: did you mean server?"),
        errors(
            worker(
                "tony.server.instances", "1",
                "tony.application.untracked.roles", "servr,notebook")));
    assertEquals(
        List.of(
            "tony.application.untracked.roles=ps,notebook (job) names the role notebook, which"
                + " the job does not have: it has no effect"),
        warnings(
            worker("tony.ps.instances", "1", "tony.application.untracked.roles", "ps,notebook")));
  }

  @Test
  public void shouldLetAnExplicitListOfRolesGoBeforeADefault() {
    TonyConfig untracked =
        worker(
            "tony.tensorboard.instances", "1",
            "tony.application.untracked.roles", "tensorboard");
    assertEquals(Supervision.UNTRACKED, job(untracked).role("tensorboard").supervision());
    TonyConfig noneUntracked =
        worker("tony.ps.instances", "1", "tony.application.untracked.roles", "");
    assertEquals(Supervision.TRACKED, job(noneUntracked).role("ps").supervision());
  }

  @Test
  public void shouldReportCirclesOfDependencies() {
    List<String> errors =
        errors(
            worker(
                "tony.a.instances", "1",
                "tony.b.instances", "1",
                "tony.a.depends-on", "b",
                "tony.b.depends-on", "a",
                "tony.worker.depends-on", "a,ghost"));
    assertTrue(
        errors.toString(),
        errors.contains(
            "the roles a -> b -> a wait for each other: remove one of their depends-on"));
    assertTrue(
        errors.toString(),
        errors.contains(
            "tony.worker.depends-on=a,ghost (job) names the role ghost, which the job does not have:"
                + " declare it with tony.ghost.instances, or remove the name"));
    assertEquals(1, errors.stream().filter(error -> error.contains("wait for each")).count());
  }

  @Test
  public void shouldRefuseEveryOptionThatThisVersionWouldIgnore() {
    Map<String, String> values = Map.of("tony.application.hadoop.location", "hadoop.tar.gz");
    values.forEach(
        (key, value) -> {
          List<String> errors = errors(worker("tony.chief.instances", "1", key, value));
          assertEquals(errors.toString(), 1, errors.size());
          assertTrue(
              errors.get(0),
              errors
                  .get(0)
                  .startsWith(key + "=" + value + " (job) is not supported by this version: "));
        });
  }

  @Test
  public void shouldAcceptAnUnsupportedOptionAtItsDefault() {
    assertEquals(
        List.of(),
        warnings(
            worker(
                "tony.docker.enabled", "false",
                "tony.docker.containers.image", "img",
                "tony.am.gpus", "0",
                "tony.am.node-label", "",
                "tony.task.executor.registry-timeout-sec", "0",
                "tony.application.security.enabled", "true")));
  }

  @Test
  public void shouldWarnOfAnOptionWithoutEffect() {
    assertEquals(
        List.of(
            "tony.task.executor.registry-timeout-sec=60 (job) has no effect:"
                + " tony.container.registration.timeout limits the same phase"),
        warnings(worker("tony.task.executor.registry-timeout-sec", "60")));
  }

  @Test
  public void shouldKnowWhichRolesStopTheJob() {
    String stop = "tony.application.stop-on-failure-roles";
    String any = "tony.application.fail-on-worker-failure-enabled";

    JobSpec job = job(worker("tony.eval.instances", "1", stop, "eval", any, "false"));

    assertEquals(false, job.endPolicy().failOnAnyTask());
    assertEquals(true, job.role("eval").stopsJob());
    assertEquals(false, job.role("worker").stopsJob());
  }

  @Test
  public void shouldShowNoSecretInAProblem() {
    List<String> errors = errors(worker("tony.execution.envs", "API_TOKEN=hunter2,oops=1,x"));
    assertEquals(
        List.of(
            "tony.execution.envs=API_TOKEN=******,oops=1,x (job): entry 3, after oops=…, is none; expected NAME=VALUE, separated by"
                + " commas"),
        errors);
  }
}
