package io.tony.am.usage;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** Who is named, and who is not. A window takes 30 s: six samples. */
public class StragglersTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** One task: what it is doing, and how far it is. */
  private static final class Program {
    double pace; // steps a second; 0 where it stands
    double cores;
    Integer gpuPercent;
    boolean tells = true;
    int every = 1; // it writes a line in each so many samples
    String text = "step %.0f";
    double done;
    boolean runs = true;
    private int ticks;
  }

  private final Map<TaskId, Program> programs = new TreeMap<>();
  private final List<UsageFact.Straggler> told = new ArrayList<>();
  private Instant now = START;
  private JobSpec spec;
  private Metrics metrics;
  private Stragglers stragglers;

  private void start(JobSpec job) {
    spec = job;
    metrics = new Metrics(job, () -> now);
    stragglers = new Stragglers(job, INTERVAL);
    spec.roles()
        .forEach(
            role -> {
              for (int i = 0; i < role.instances(); i++) {
                started(new TaskId(role.name(), i), new Program());
              }
            });
  }

  private void started(TaskId task, Program program) {
    programs.put(task, program);
    String node = "node-" + task.index();
    stragglers.note(new TaskFact.Allocated(task, "container", node, "log"));
    metrics.recordRestart(task);
    stragglers.note(new TaskFact.Started(task, 1));
  }

  /** All workers make so many steps a second. */
  private void workers(double... paces) {
    start(job().workers(paces.length).spec());
    for (int i = 0; i < paces.length; i++) {
      worker(i).pace = paces[i];
    }
  }

  private Program worker(int index) {
    return programs.get(new TaskId("worker", index));
  }

  private void run(int seconds) {
    for (int i = 0; i < seconds; i += 5) {
      now = now.plus(INTERVAL);
      programs.forEach(this::sample);
      Map<String, List<UsageReading>> readings = new HashMap<>();
      stragglers.roles().forEach(role -> readings.put(role, metrics.readings(role)));
      for (UsageFact.Straggler straggler : stragglers.judge(now, readings)) {
        stragglers.note(straggler);
        told.add(straggler);
      }
    }
  }

  private void sample(TaskId task, Program program) {
    if (!program.runs) {
      return;
    }
    TaskUsage.GpuUsage gpus =
        program.gpuPercent == null ? null : new TaskUsage.GpuUsage(program.gpuPercent, 100);
    metrics.recordSample(
        task, new Metrics.Sample(new TaskUsage(100, program.cores, gpus), INTERVAL, 100, 10));
    program.done += 5 * program.pace;
    if (program.tells && program.pace > 0 && ++program.ticks % program.every == 0) {
      metrics.recordProgress(task, String.format(Locale.ROOT, program.text, program.done));
    }
  }

  private void end(TaskFact fact) {
    stragglers.note(fact);
    programs.get(fact.task()).runs = false;
  }

  private List<String> messages() {
    return told.stream().map(UsageFact.Straggler::message).toList();
  }

  private void assertNobody() {
    assertEquals(List.of(), messages());
    assertEquals(List.of(), stragglers.advice());
  }

  // ---- By its progress ----

  @Test
  public void shouldNameATaskThatIsSteadilySlowerThanItsGang() {
    workers(10, 4, 10);
    run(120);
    assertNobody();

    run(60);

    String message =
        "worker:1 on node-1 is slower than its gang since 2026-01-01T00:00:05Z: its progress goes"
            + " on by 4.0 a second, the median of 3 worker tasks by 10.0";
    assertEquals(
        List.of(new UsageFact.Straggler(new TaskId("worker", 1), "node-1", message, false)), told);
    assertEquals(
        List.of(message + "; see what else runs on that node, and what differs there"),
        stragglers.advice());
    run(1_000);
    assertEquals("once", 1, told.size());
  }

  @Test
  public void shouldNameNoMoreTasksAtATimeThanSomebodyReads() {
    double[] paces = new double[100];
    for (int i = 0; i < paces.length; i++) {
      paces[i] = i < 2 * RoleStragglers.MAX_REPORTED ? 4 : 10;
    }
    workers(paces);
    run(300);
    assertEquals(RoleStragglers.MAX_REPORTED, told.size());

    worker(0).pace = 10;
    worker(99).pace = 4;
    run(300);
    assertEquals(
        "there is room for one again",
        List.of("worker:0 on node-0 keeps up with its gang again"),
        messages().stream().filter(message -> message.endsWith(" again")).toList());
  }

  @Test
  public void shouldNotNameATaskThatIsSlowNowAndThen() {
    workers(10, 10, 10);
    for (int i = 0; i < 10; i++) {
      worker(2).pace = 2;
      run(60);
      worker(2).pace = 10;
      run(60);
    }
    assertNobody();
  }

  @Test
  public void shouldNotNameWhoIsALittleSlower() {
    workers(10, 8, 10, 9);
    run(600);
    assertNobody();
  }

  @Test
  public void shouldNameATaskThatDoesNotGoOn() {
    workers(10, 10, 10);
    programs.values().forEach(program -> program.text = "step %.0f/100000");
    run(60);
    worker(1).pace = 0;
    run(200);
    assertEquals(1, told.size());
    assertEquals(new TaskId("worker", 1), told.get(0).task());
  }

  @Test
  public void shouldWaitForProgramsThatSeldomTellWhereTheyAre() {
    workers(10, 10, 4);
    programs.values().forEach(program -> program.every = 24); // two minutes
    run(15 * 60);
    assertNobody();
    run(10 * 60);
    assertEquals(1, told.size());
  }

  @Test
  public void shouldTellSlowStepsByTheHour() {
    workers(0.01, 0.01, 0.004);
    programs.values().forEach(program -> program.text = "step %.3f/100");
    run(300);
    assertEquals(
        "worker:2 on node-2 is slower than its gang since 2026-01-01T00:00:05Z: its progress goes"
            + " on by 14.4 an hour, the median of 3 worker tasks by 36.0",
        messages().get(0));
  }

  @Test
  public void shouldNameOneOfTwoOnlyWhereTheyAreFarApart() {
    workers(10, 6);
    run(600);
    assertNobody();

    workers(10, 4);
    run(600);
    assertEquals(
        "worker:1 on node-1 is slower than its gang since 2026-01-01T00:10:05Z: its progress goes"
            + " on by 4.0 a second, the other worker by 10.0",
        messages().get(0));
  }

  @Test
  public void shouldNameNobodyWhereEachHasItsOwnPace() {
    workers(1, 3, 9, 20, 45);
    run(600);
    assertNobody();
  }

  @Test
  public void shouldCompareOnlyTasksOfARoleThatTheJobWaitsFor() {
    start(
        job()
            .role("chief", 1, Supervision.TRACKED)
            .role("ps", 3, Supervision.UNTRACKED)
            .workers(3)
            .role("evaluator", 1, Supervision.TRACKED)
            .spec());
    programs.forEach(
        (task, program) -> {
          program.pace = task.role().equals("worker") ? 10 : 1;
          program.cores = task.role().equals("worker") ? 4 : 0;
        });
    programs.get(new TaskId("ps", 2)).pace = 0.1;
    run(900);
    assertNobody();
  }

  @Test
  public void shouldNotCompareStepsWithPercents() {
    workers(10, 10, 10, 1);
    worker(3).text = "%.2f %%";
    run(600);
    assertNobody();
  }

  @Test
  public void shouldNotTakeAnEpochThatBeginsForAStep() {
    workers(10, 10, 10);
    for (int i = 0; i < 40; i++) {
      worker(1).done = 0;
      run(30);
    }
    assertNobody();
  }

  @Test
  public void shouldNotTakeTheStartForSlowness() {
    workers(10, 0, 10);
    run(600);
    assertNobody();
    worker(1).pace = 10;
    run(600);
    assertNobody();
  }

  /** It may export a model, or evaluate it: nothing tells where it ends. */
  @Test
  public void shouldNotNameATaskThatStandsAndDoesNotTellWhereItEnds() {
    workers(10, 10, 10);
    run(60);
    worker(1).pace = 0;
    run(600);
    assertNobody();
  }

  @Test
  public void shouldNotGoByTheLinesOfAStartBefore() {
    workers(10, 10, 10);
    programs.values().forEach(program -> program.text = "step %.0f/100000");
    run(60);
    Program again = new Program();
    again.text = "step %.0f/100000";
    started(new TaskId("worker", 1), again);
    run(600); // it loads its data
    assertNobody();
    // It begins where the one before it stood.
    again.done = 700;
    again.pace = 10;
    run(600);
    assertNobody();
  }

  /** It waits for the others, to end together. */
  @Test
  public void shouldNotNameATaskThatHasDoneAll() {
    workers(10, 10, 10);
    programs.values().forEach(program -> program.text = "step %.0f/100000");
    worker(1).done = 98_000;
    run(60);
    worker(1).text = "step 100000/100000";
    run(5);
    worker(1).pace = 0;
    run(600);
    assertNobody();
  }

  @Test
  public void shouldNotNameATaskThatHasEnded() {
    for (TaskFact end :
        List.of(
            new TaskFact.Succeeded(new TaskId("worker", 1), Map.of(), ""),
            new TaskFact.Stopped(new TaskId("worker", 1)))) {
      workers(10, 10, 10, 10);
      run(60);
      end(end);
      run(600);
      assertNobody();
    }
  }

  /** The chief evaluates for ten minutes now and then, while the others go on. */
  @Test
  public void shouldNotNameAChiefThatEvaluates() {
    workers(10, 10, 10);
    for (int i = 0; i < 3; i++) {
      run(320);
      worker(0).pace = 0;
      run(610);
      worker(0).pace = 10;
    }
    assertNobody();

    worker(0).pace = 3;
    run(300);
    assertEquals("but one that is slow", new TaskId("worker", 0), told.get(0).task());
  }

  // ---- By its use ----

  private void uses(double... cores) {
    start(job().role("chief", 1, Supervision.TRACKED).workers(cores.length).spec());
    for (int i = 0; i < cores.length; i++) {
      worker(i).cores = cores[i];
      worker(i).tells = false;
    }
  }

  @Test
  public void shouldNameATaskWhoseGpusAreIdleWhileThoseOfTheOthersWork() {
    uses(1, 1, 1);
    worker(0).gpuPercent = 95;
    worker(1).gpuPercent = 3;
    worker(2).gpuPercent = 92;
    run(300);
    assertNobody();
    run(60);
    assertEquals(
        List.of(
            "worker:1 on node-1 is idle while its gang works since 2026-01-01T00:00:05Z: its GPUs"
                + " compute 3 % of the time, the median of 3 worker tasks 92 %"),
        messages());
  }

  @Test
  public void shouldNameATaskThatNoLongerUsesItsCores() {
    uses(4, 4, 4);
    run(60);
    worker(2).cores = 0.05;
    run(400);
    assertEquals(
        List.of(
            "worker:2 on node-2 is idle while its gang works since 2026-01-01T00:01:05Z: it keeps"
                + " 0.05 cores busy, the median of 3 worker tasks 4.00"),
        messages());
  }

  /** Such as MPI's launcher, or a rank that waits for the others in its own way. */
  @Test
  public void shouldNotNameATaskThatNeverUsedItsCores() {
    uses(4, 0, 4, 4);
    run(1_000);
    assertNobody();
  }

  @Test
  public void shouldNameNobodyWhereNobodyWorks() {
    uses(0.1, 0.1, 0.1);
    run(60);
    worker(1).cores = 0;
    run(1_000);
    assertNobody();
  }

  /** Others wait for it, without work: nothing tells that it is the slow one. */
  @Test
  public void shouldNotNameTheOneThatWorksWhileTheOthersWait() {
    uses(0.3, 4, 0.3, 0.3);
    run(1_000);
    assertNobody();
  }

  @Test
  public void shouldNotGoByTheUseOfAChief() {
    start(job().workers(3).spec());
    programs.values().forEach(program -> program.gpuPercent = 95);
    worker(0).gpuPercent = 0;
    run(1_000);
    assertNobody();
  }

  // ---- When it is over ----

  @Test
  public void shouldWithdrawItWhenTheTaskKeepsUpAgain() {
    workers(10, 4, 10);
    run(300);
    worker(1).pace = 10;
    run(300);
    assertEquals(2, told.size());
    assertEquals(
        new UsageFact.Straggler(
            new TaskId("worker", 1),
            "node-1",
            "worker:1 on node-1 keeps up with its gang again",
            true),
        told.get(1));
    assertEquals(List.of(), stragglers.advice());

    worker(1).pace = 4;
    run(600);
    assertEquals("once for each start", 2, told.size());
  }

  private void gangRestarted() {
    stragglers.note(
        new GangFact.Restarted(
            new TaskId("worker", 0),
            FailureKind.LOST,
            "lost",
            1,
            1,
            RetryBudgetOwner.JOB,
            0,
            false,
            "node-0",
            List.of()));
  }

  @Test
  public void shouldNameATaskOnceForEachStart() {
    workers(10, 4, 10);
    run(300);
    Map<TaskId, Program> all = new LinkedHashMap<>(programs);
    gangRestarted();
    run(300);
    assertEquals("nobody runs", 1, told.size());
    all.forEach(this::started);
    run(300);
    assertEquals(2, told.size());
  }

  /** It reads what the one before recorded. */
  @Test
  public void shouldNotBeNamedOnceMoreByALaterMaster() {
    workers(10, 4, 10);
    run(300);
    UsageFact.Straggler earlier = told.remove(0);
    workers(10, 4, 10);
    stragglers.note(earlier);
    run(600);
    assertEquals(List.of(), told);
    assertEquals(1, stragglers.advice().size());
  }

  // ---- Gangs that become smaller ----

  private void resized(int from, int instances, Map<Integer, Integer> moved) {
    ResizeFact.Resized fact = new ResizeFact.Resized("worker", from, instances, 1, moved, "");
    stragglers.note(fact);
    metrics.resize(fact);
    for (int i = instances; i < from; i++) {
      worker(i).runs = false;
    }
  }

  @Test
  public void shouldForgetAStragglerThatIsGone() {
    workers(10, 10, 4);
    run(300);
    assertEquals(1, told.size());

    resized(3, 2, Map.of());

    assertEquals(List.of(), stragglers.advice());
  }

  @Test
  public void shouldCompareThoseThatThereAre() {
    workers(10, 10, 10, 10, 10);
    programs.values().forEach(program -> program.text = "step %.0f/1000000");
    run(60);
    gangRestarted();
    resized(5, 2, Map.of(4, 1));
    for (int i = 0; i < 2; i++) {
      Program program = new Program();
      program.text = "step %.0f/2000000"; // fewer tasks have more to do
      program.pace = i == 0 ? 10 : 2;
      programs.put(new TaskId("worker", i), program);
      metrics.recordRestart(new TaskId("worker", i));
      stragglers.note(new TaskFact.Started(new TaskId("worker", i), 1));
    }

    run(300);

    assertEquals(List.of(new TaskId("worker", 1)), told.stream().map(s -> s.task()).toList());
    assertEquals("in the container of another", "node-4", told.get(0).node());
  }
}
