package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.checkpoint.CheckpointName;
import io.tony.cluster.CountingProgram.Start;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Whatever happens to a training, no checkpoint of it that was kept is lost, and it trains little
 * again. What happens, and when, comes from a seed, another one each day, which is printed: {@code
 * -Dtony.chaos.seed} repeats it.
 */
public class CheckpointChaosIT {
  private static final String CHIEF = "worker:0";
  private static final List<String> WORKERS = List.of(CHIEF, "worker:1");

  /** Two seconds of counting at most, in which the program names twenty checkpoints. */
  private static final int LONGEST_COUNT = 100;

  private static final int INCIDENTS = 7;

  /** Older than any that an application makes. */
  private static final CheckpointName NONE =
      new CheckpointName(CheckpointName.generation("application_0_0000", 0), 0);

  private enum Incident {
    PROGRAM_KILLED,
    EXECUTOR_KILLED,
    MASTER_KILLED,
    PREEMPTION,
    JOB_KILLED
  }

  /** A container that is announced goes only when the job itself gives it back. */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster("mini-chaos", PreemptionIT.settings(Duration.ofHours(1)));

  static {
    cluster.add(TestCluster.settings("yarn.resourcemanager.am.max-attempts=" + (1 + INCIDENTS)));
  }

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private final long seed =
      Long.getLong("tony.chaos.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay());

  private final Random random = new Random(seed);
  private final List<Incident> incidents = incidents();

  /** The executions of the step so far, one after the other. */
  private final List<String> applications = new ArrayList<>();

  private CountingProgram program;
  private TonyCommand tony; // of the present execution

  /** Of each kind one at least, in any order. */
  private List<Incident> incidents() {
    List<Incident> all = new ArrayList<>(List.of(Incident.values()));
    while (all.size() < INCIDENTS) {
      all.add(Incident.values()[random.nextInt(Incident.values().length)]);
    }
    Collections.shuffle(all, random);
    return all;
  }

  @After
  public void close() {
    if (tony != null) {
      tony.close();
    }
  }

  @Test
  public void shouldLoseNothingThatWasKeptAndTrainLittleAgainWhateverHappens() throws Exception {
    String what = incidents + " with -Dtony.chaos.seed=" + seed;
    System.out.println(what);
    program = CountingProgram.in(folder.getRoot().toPath());
    for (String worker : WORKERS) {
      program.tell(worker, "go-on");
    }
    try {
      execute();
      for (Incident incident : incidents) {
        train();
        happen(incident);
      }
      train();
      for (String worker : WORKERS) {
        program.takeBack(worker, "go-on");
      }
      tony.assertExit(0);

      assertTrained(told());
    } catch (AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  // ---- The training ----

  private void execute() throws Exception {
    List<String> options = new ArrayList<>();
    for (String option :
        List.of(
            "tony.azkaban.project=recommender",
            "tony.azkaban.flow=nightly",
            "tony.azkaban.job=train",
            "tony.azkaban.execution=" + (4711 + applications.size()),
            "tony.checkpoint.scope=step",
            "tony.checkpoint.request-timeout=1h",
            "tony.worker.instances=2",
            "tony.worker.min-instances=1",
            "tony.worker.memory=3g",
            "tony.elastic.grow-interval=200ms",
            "tony.elastic.wait-timeout=2s",
            "tony.gang.max-restarts=50",
            "tony.gang.max-lost-restarts=50",
            "tony.am.max-attempts=" + (1 + INCIDENTS),
            "tony.task.stop-grace-ms=120000")) { // for the copy, on a busy machine
      options.addAll(List.of("-conf", option));
    }
    tony =
        cluster.submit(
            folder.getRoot().toPath(), program.arguments(options.toArray(String[]::new)));
    tony.await("tasks running");
    applications.add(tony.application());
  }

  private ToldStarts present() throws IOException {
    return new ToldStarts(cluster.events(tony.application()));
  }

  /** Waits until all programs of the gang run, of which there are so many at least. */
  private void awaitPrograms(int least) throws Exception {
    Looks.await(tony, least + " programs that run", () -> present().programs().size() >= least);
  }

  /** Waits until they have counted on. */
  private void train() throws Exception {
    awaitPrograms(1);
    long goal = counted() + 1 + random.nextInt(LONGEST_COUNT);
    Looks.await(tony, goal + " steps in all", () -> counted() >= goal);
  }

  private long counted() throws IOException {
    return program.starts(CHIEF).stream().mapToLong(start -> start.steps().size()).sum();
  }

  // ---- What happens to it; the event log tells each as what it was ----

  private void happen(Incident incident) throws Exception {
    switch (incident) {
      case PROGRAM_KILLED -> killUntilTold(FailureKind.PROGRAM, Optional::of);
      case EXECUTOR_KILLED -> killUntilTold(FailureKind.LOST, CheckpointChaosIT::executorOf);
      case MASTER_KILLED -> killMaster();
      case PREEMPTION -> preempt();
      case JOB_KILLED -> killAndExecuteAgain();
    }
  }

  private static Optional<ProcessHandle> executorOf(ProcessHandle program) {
    return program
        .parent()
        .filter(parent -> parent.info().commandLine().orElse("").contains("TaskExecutor"));
  }

  /** A gang that starts again at this moment, to grow, has ended the program itself. */
  private void killUntilTold(
      FailureKind kind, Function<ProcessHandle, Optional<ProcessHandle>> victim) throws Exception {
    long before = present().failures(kind);
    int[] killedIn = {-1}; // which start of the gang
    Looks.await(
        tony,
        "a failure (" + kind + ")",
        () -> {
          ToldStarts told = present();
          boolean failed = told.failures(kind) > before;
          if (!failed && told.session() > killedIn[0] && kills(told.programs(), victim)) {
            killedIn[0] = told.session();
          }
          return failed;
        });
  }

  private boolean kills(
      List<Long> programs, Function<ProcessHandle, Optional<ProcessHandle>> victim) {
    return !programs.isEmpty()
        && ProcessHandle.of(programs.get(random.nextInt(programs.size())))
            .flatMap(victim)
            .map(ProcessHandle::destroyForcibly)
            .orElse(false);
  }

  /** Until a checkpoint is told by the next one: then what went with this one is told, too. */
  private void killMaster() throws Exception {
    long before = present().all(JobEvent.Type.AM_STARTED).count();
    OwnCluster.master(tony.application()).destroyForcibly();
    Looks.await(
        tony,
        "a checkpoint under the next ApplicationMaster",
        () -> present().isKeptUnder(before + 1));
  }

  /** A gang that has just lost a task, and has not told it, leaves room for the other job. */
  private void preempt() throws Exception {
    long before = present().givenBack();
    do {
      awaitPrograms(WORKERS.size());
      try (TonyCommand owner =
          cluster.submit(
              folder.getRoot().toPath(),
              "-executes",
              "true",
              "-conf",
              "tony.yarn.queue=urgent",
              "-conf",
              "tony.worker.instances=1",
              "-conf",
              "tony.worker.memory=3g")) {
        owner.assertExit(0);
      }
    } while (present().givenBack() == before);
  }

  private void killAndExecuteAgain() throws Exception {
    tony.terminate();
    tony.assertExit(143);
    execute();
  }

  // ---- What the logs say in the end ----

  private Map<String, ToldStarts> told() throws IOException {
    Map<String, ToldStarts> told = new LinkedHashMap<>();
    for (String application : applications) {
      told.put(application, new ToldStarts(cluster.events(application)));
    }
    return told;
  }

  private void assertTrained(Map<String, ToldStarts> told) throws IOException {
    List<Start> starts = program.starts(CHIEF);
    Set<Long> counted = new TreeSet<>();
    Set<Long> named = new TreeSet<>(Set.of(0L));
    for (int i = 0; i < starts.size(); i++) {
      Start start = starts.get(i);
      start.assertWentOn();
      assertTrue(start.begin() + " of " + named, named.contains(start.begin()));
      if (i > 0) {
        assertLostNothing(told, starts.get(i - 1), start);
      }
      counted.addAll(start.steps());
      named.addAll(start.named());
    }
    long most = starts.stream().mapToLong(Start::end).max().orElseThrow();
    assertEquals("each of " + most, most, counted.size());
    long last = starts.get(starts.size() - 1).end();
    long kept = newest(told.values().stream().flatMap(log -> log.kept().stream())).number();
    assertTrue(last + " after " + kept, last - kept < CountingProgram.EVERY);
    told.forEach(this::assertEnded);
  }

  private void assertEnded(String application, ToldStarts told) {
    boolean last = application.equals(applications.get(applications.size() - 1));
    assertEquals(
        List.of(last ? "SUCCEEDED" : "KILLED"),
        told.all(JobEvent.Type.JOB_FINISHED).map(event -> event.detail("status")).toList());
  }

  /**
   * The start goes on from the newest checkpoint that was told to be kept, or from a newer one.
   * Where the container of the program before it stayed, or the job was killed in order, all that
   * the program had named was kept first. Else what was named and not kept is trained again, too.
   */
  private static void assertLostNothing(Map<String, ToldStarts> told, Start before, Start start) {
    List<CheckpointName> kept = keptBefore(told, start);
    String what =
        "%s goes on from %s; %s had counted to %d and named %s; kept: %s"
            .formatted(
                start.container(),
                start.from(),
                before.container(),
                before.end(),
                before.named(),
                kept);
    CheckpointName from = CheckpointName.parse(start.from()).orElse(NONE);
    assertTrue(what, from.compareTo(newest(kept.stream())) >= 0);

    boolean inOrder =
        start.container().equals(before.container())
            || !start.application().equals(before.application());
    long unsaved = inOrder ? 0 : namedSince(kept, generation(told, before), before);
    assertTrue(what, before.end() - start.begin() <= CountingProgram.EVERY * (1 + unsaved));
  }

  private static CheckpointName newest(Stream<CheckpointName> kept) {
    return kept.max(CheckpointName::compareTo).orElse(NONE);
  }

  /** What the start could choose from, for all that is told. */
  private static List<CheckpointName> keptBefore(Map<String, ToldStarts> told, Start start) {
    List<CheckpointName> kept = new ArrayList<>();
    for (Map.Entry<String, ToldStarts> execution : told.entrySet()) {
      if (execution.getKey().equals(start.application())) {
        kept.addAll(execution.getValue().keptBefore(session(told, start)));
        break;
      }
      kept.addAll(execution.getValue().kept());
    }
    return kept;
  }

  private static int session(Map<String, ToldStarts> told, Start start) {
    return told.get(start.application()).session(start.attempt());
  }

  private static String generation(Map<String, ToldStarts> told, Start start) {
    return CheckpointName.generation(start.application(), session(told, start));
  }

  /** How many checkpoints the program named after the last one of it that was kept. */
  private static long namedSince(List<CheckpointName> kept, String generation, Start start) {
    long last =
        kept.stream()
            .filter(set -> set.generation().equals(generation))
            .mapToLong(CheckpointName::number)
            .max()
            .orElse(start.begin());
    return start.named().stream().filter(step -> step > last).count();
  }
}
