package io.tony.am.usage;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class AdviserTest {
  private static final double NO_GPUS = Double.NaN;

  /** A job with the roles that these keys declare. */
  private static JobSpec job(String... settings) {
    return job(config(settings));
  }

  private static TonyConfig config(String... settings) {
    Map<String, String> values = new HashMap<>();
    values.put("tony.application.executes", "train");
    for (int i = 0; i < settings.length; i += 2) {
      values.put(settings[i], settings[i + 1]);
    }
    return TonyConfig.builder().layer("test", values).build();
  }

  private static JobSpec job(TonyConfig config) {
    Problems problems = new Problems();
    return JobSpecReader.read(config, problems)
        .orElseThrow(() -> new AssertionError(problems.toString()));
  }

  private static JobSpec workers(int instances, String memory, int vcores) {
    return job(
        "tony.worker.instances", Integer.toString(instances),
        "tony.worker.memory", memory,
        "tony.worker.vcores", Integer.toString(vcores));
  }

  private static List<String> advice(JobSpec job, long step, RoleUsage use) {
    return new Adviser(job, Set.of("worker"), step)
        .advise(Map.of("worker", use), Map.of(), Set.of(), Map.of());
  }

  @Test
  public void shouldAdviseWhatARoleWasGivenAfterItHadTooLittle() {
    List<String> advice =
        new Adviser(workers(2, "2g", 1), Set.of("worker"), 1024)
            .advise(
                Map.of("worker", peak(2800)), Map.of(), Set.of("worker"), Map.of("worker", 3072L));

    assertEquals(
        List.of(
            "worker was ended for its memory and started again with 3.0 GiB: tony.worker.memory=3g"
                + " begins with that"),
        advice);
  }

  private static RoleUsage peak(long mebibytes) {
    return new RoleUsage(1, mebibytes, 100, NO_GPUS);
  }

  private static RoleUsage cores(double mean) {
    return new RoleUsage(1, 1000, mean, NO_GPUS);
  }

  private static RoleUsage gpus(double percent) {
    return new RoleUsage(1, 1000, 100, percent);
  }

  // ---- Memory ----

  @Test
  public void shouldNameTheMemoryThatIsEnough() {
    assertEquals(
        List.of(
            "no worker used more than 1.2 of its 4.0 GiB: tony.worker.memory=1536m saves 10 GiB"),
        advice(workers(4, "4g", 1), 512, new RoleUsage(4, 1228, 100, NO_GPUS)));
    assertEquals(
        List.of(
            "no worker used more than 300 of its 1000 MiB: tony.worker.memory=375m saves 625 MiB"),
        advice(workers(1, "1000m", 1), 1, peak(300)));
  }

  @Test
  public void shouldCountInTheStepsThatYarnGives() {
    // 1228 MiB and a quarter are 1535 MiB: of steps of 1 GiB that is 2.
    assertEquals(
        List.of("no worker used more than 1.2 of its 4.0 GiB: tony.worker.memory=2g saves 2.0 GiB"),
        advice(workers(1, "3500m", 1), 1024, peak(1228)));
    // The job's 2500 MiB were 3 GiB in truth.
    assertEquals(List.of(), advice(workers(1, "2500m", 1), 1024, peak(1700)));
    // YARN's least container is all that there is to be had.
    assertEquals(List.of(), advice(workers(1, "512m", 1), 1024, peak(100)));
  }

  @Test
  public void shouldSayNothingWhereLittleIsGained() {
    // 255 MiB, and then 256 MiB.
    assertEquals(List.of(), advice(workers(1, "755m", 1), 1, peak(400)));
    assertEquals(1, advice(workers(1, "756m", 1), 1, peak(400)).size());
    // A little less than a quarter, and then a quarter.
    assertEquals(List.of(), advice(workers(1, "3999m", 1), 1, peak(2400)));
    assertEquals(1, advice(workers(1, "4000m", 1), 1, peak(2400)).size());
  }

  @Test
  public void shouldAskForMoreWhereTheLimitWasNear() {
    assertEquals(List.of(), advice(workers(1, "4000m", 1), 1, peak(3600)));
    assertEquals(
        List.of(
            "a worker used 3.5 of its 3.9 GiB, close to where its node ends it:"
                + " tony.worker.memory=4502m leaves room"),
        advice(workers(1, "4000m", 1), 1, peak(3601)));
  }

  /** What it would have used had it lived, nobody has seen; the failure's own message says more. */
  @Test
  public void shouldSayNothingOfTheMemoryOfARoleThatDiedOfIt() {
    Adviser adviser = new Adviser(workers(1, "4g", 4), Set.of("worker"), 1);
    assertEquals(
        List.of(
            "no worker used more than 0.9 of its 4 vcores on average: tony.worker.vcores=2 saves 2"
                + " vcores"),
        adviser.advise(
            Map.of("worker", new RoleUsage(1, 500, 0.9, NO_GPUS)),
            Map.of(),
            Set.of("worker"),
            Map.of()));
  }

  // ---- Cores and GPUs ----

  @Test
  public void shouldNameTheVcoresThatAreEnough() {
    assertEquals(
        List.of(
            "no worker used more than 0.9 of its 4 vcores on average: tony.worker.vcores=2 saves 2"
                + " vcores"),
        advice(workers(1, "1200m", 4), 1, cores(0.9)));
    assertEquals(
        List.of(
            "no worker used more than 0.5 of its 2 vcores on average: tony.worker.vcores=1 saves 1"
                + " vcore"),
        advice(workers(1, "1200m", 2), 1, cores(0.5)));
    assertEquals(List.of(), advice(workers(1, "1200m", 2), 1, cores(0.9)));
    assertEquals(List.of(), advice(workers(1, "1200m", 1), 1, cores(0)));
    // 7 of 8 would be enough.
    assertEquals(List.of(), advice(workers(1, "1200m", 8), 1, cores(5.2)));
    assertEquals(1, advice(workers(1, "1200m", 8), 1, cores(4.8)).size());
  }

  @Test
  public void shouldTellOfIdleGpus() {
    JobSpec job =
        job(
            "tony.worker.instances", "1",
            "tony.worker.memory", "1200m",
            "tony.worker.gpus", "2");
    assertEquals(
        List.of(
            "the GPUs of no worker were busy for more than 3 % of the time: see whether its program"
                + " uses them, or set tony.worker.gpus=0"),
        advice(job, 1, gpus(2.4)));
    assertEquals(1, advice(job, 1, gpus(9.9)).size());
    assertEquals(List.of(), advice(job, 1, gpus(10)));
    assertEquals(List.of(), advice(job, 1, gpus(NO_GPUS)));
    assertEquals(List.of(), advice(workers(1, "1200m", 1), 1, gpus(0)));
  }

  // ---- Whom it is for ----

  @Test
  public void shouldGiveEachRoleTwoPiecesAtMost() {
    JobSpec job =
        job(
            "tony.ps.instances", "1",
            "tony.ps.vcores", "4",
            "tony.worker.instances", "1",
            "tony.worker.memory", "8g",
            "tony.worker.vcores", "4",
            "tony.worker.gpus", "1");
    RoleUsage idle = new RoleUsage(1, 500, 0.1, 0);

    List<String> advice =
        new Adviser(job, Set.of("ps", "worker"), 1)
            .advise(Map.of("ps", idle, "worker", idle), Map.of(), Set.of(), Map.of());

    assertEquals(advice.toString(), 4, advice.size());
    assertEquals(2, advice.stream().filter(text -> text.contains("tony.ps.")).count());
    assertEquals(1, advice.stream().filter(text -> text.contains("tony.worker.memory")).count());
    assertEquals(1, advice.stream().filter(text -> text.contains("tony.worker.gpus")).count());
  }

  @Test
  public void shouldSayNothingBeforeHalfOfTheRoleWasWatchedForLongEnough() {
    JobSpec job = workers(4, "4g", 1);
    assertEquals(List.of(), advice(job, 1, new RoleUsage(1, 500, 1, NO_GPUS)));
    assertEquals(1, advice(job, 1, new RoleUsage(2, 500, 1, NO_GPUS)).size());
    assertEquals(List.of(), advice(workers(1, "4g", 1), 1, new RoleUsage(0, 500, 1, NO_GPUS)));
  }

  /** Such as the program of a job without roles, which has what the ApplicationMaster has. */
  @Test
  public void shouldSayNothingOfARoleWithoutKeysOfItsOwn() {
    TonyConfig config = config("tony.worker.instances", "0", "tony.am.memory", "8g");
    JobSpec job = job(config);
    assertEquals(1, job.taskCount());
    assertEquals(
        List.of(),
        Adviser.of(job, config, 1)
            .advise(Map.of("worker", peak(500)), Map.of(), Set.of(), Map.of()));
  }

  /** It asked for five, and went on with two. */
  @Test
  public void shouldCountTheTasksThatTheRoleHasAtLast() {
    assertEquals(
        List.of(
            "no worker used more than 1.2 of its 4.0 GiB: tony.worker.memory=1536m saves 5.0 GiB"),
        new Adviser(workers(5, "4g", 1), Set.of("worker"), 512)
            .advise(
                Map.of("worker", new RoleUsage(1, 1228, 100, NO_GPUS)),
                Map.of("worker", 2),
                Set.of(),
                Map.of()));
  }
}
