package io.tony.am.usage;

import io.tony.am.usage.LagDetector.Finding;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds stragglers in one role whose tasks do equal work: tasks that make less progress than the
 * others, or use their GPUs or cores less. {@code docs/stragglers.md} describes what that means for
 * users.
 */
final class RoleStragglers {
  private static final PeerComparison.Rule PACE = new PeerComparison.Rule(0.7, 0.5, 0.9, 0.15, 0);
  private static final PeerComparison.Rule GPUS = new PeerComparison.Rule(0.25, 0.1, 0.5, 0.3, 30);
  private static final PeerComparison.Rule CORES =
      new PeerComparison.Rule(0.25, 0.1, 0.5, 0.3, 0.5);

  private static final int PACE_WINDOWS = 4;

  /**
   * Number of windows for the use of GPUs and cores. More than {@link #PACE_WINDOWS}, because a
   * task may be idle for a while, for example while it writes a checkpoint.
   */
  private static final int USAGE_WINDOWS = 10;

  /**
   * Maximum number of stragglers reported at a time, not counting those that have recovered. If
   * there are more, they have a common cause.
   */
  static final int MAX_REPORTED = 20;

  /** Minimum number of progress lines in a window from which a task's pace can be computed. */
  private static final int MIN_LINES = 2;

  /** A period in which tasks are compared, with the readings at its start. */
  private static final class Window {
    Instant startedAt = Instant.MIN; // MIN before the first window
    List<UsageReading> before = List.of();
    boolean[] ranThroughout;

    Window(int tasks) {
      ranThroughout = new boolean[tasks];
    }

    void start(Instant at, List<UsageReading> readings, boolean[] running) {
      startedAt = at;
      before = readings;
      ranThroughout = running.clone();
    }

    boolean isFinished(Instant now, Duration length) {
      return Duration.between(startedAt, now).compareTo(length) >= 0;
    }
  }

  private final String role;
  private final Duration windowLength;
  private final int chief;
  private final int tasks;
  private final boolean[] running;
  // By task: true if its present program was once as busy as those of the others.
  private final boolean[] worked;
  private final String[] nodes;
  // By task: true if it was reported as a straggler, by any ApplicationMaster, since its present
  // program started.
  private final boolean[] reported;
  // By task: the detector that reported it and may report its recovery; null if none.
  private final @Nullable LagDetector[] reportedBy;
  private final Window paceWindow;
  private final Window useWindow;
  private final LagDetector pace;
  private final LagDetector gpus;
  private final LagDetector cores;

  /**
   * Creates the search for stragglers in one role.
   *
   * @param tasks number of tasks that the role may have
   * @param chief index of the job's chief; negative if the chief has another role
   * @param windowLength minimum length of a window
   */
  RoleStragglers(String role, int tasks, int chief, Duration windowLength) {
    this.role = role;
    this.tasks = tasks;
    this.chief = chief;
    this.windowLength = windowLength;
    running = new boolean[tasks];
    worked = new boolean[tasks];
    nodes = new String[tasks];
    Arrays.fill(nodes, "");
    reported = new boolean[tasks];
    reportedBy = new LagDetector[tasks];
    paceWindow = new Window(tasks);
    useWindow = new Window(tasks);
    pace = new LagDetector(PACE, PACE_WINDOWS, tasks);
    gpus = new LagDetector(GPUS, USAGE_WINDOWS, tasks);
    cores = new LagDetector(CORES, USAGE_WINDOWS, tasks);
  }

  // ---- Changes of tasks ----

  void note(int index, TaskFact fact) {
    if (fact instanceof TaskFact.Allocated allocated) {
      nodes[index] = allocated.node();
    } else if (fact instanceof TaskFact.Started) {
      forget(index);
      running[index] = true;
    } else if (fact instanceof TaskFact.Succeeded
        || fact instanceof TaskFact.Failed
        || fact instanceof TaskFact.Stopped
        || fact instanceof TaskFact.Restarted) {
      forget(index);
    }
  }

  /**
   * Applies a change of the role's size. Forgets the programs of tasks that have moved to another
   * index or are gone, because these programs have ended.
   */
  void resize(ResizeFact.Resized fact) {
    fact.movedIndices()
        .forEach(
            (old, now) -> {
              nodes[now] = nodes[old];
              forget(now);
            });
    for (int i = fact.instances(); i < tasks; i++) {
      forget(i);
    }
  }

  /**
   * Notes that the task was reported as a straggler, possibly by an earlier ApplicationMaster. A
   * task is reported at most once per start of its program.
   */
  void markReported(int index) {
    reported[index] = true;
  }

  /** Forgets what is known about the programs of all tasks, because the gang restarts. */
  void forgetAll() {
    for (int i = 0; i < tasks; i++) {
      forget(i);
    }
  }

  private void forget(int index) {
    running[index] = false;
    worked[index] = false;
    reported[index] = false;
    reportedBy[index] = null;
    for (Window window : List.of(paceWindow, useWindow)) {
      window.ranThroughout[index] = false;
    }
    List.of(pace, gpus, cores).forEach(detector -> detector.forget(index));
  }

  // ---- Windows ----

  /** Returns the new stragglers, and those that have recovered since the last call. */
  List<UsageFact.Straggler> judge(Instant now, List<UsageReading> readings) {
    List<UsageFact.Straggler> stragglers = new ArrayList<>();
    if (paceWindow.startedAt.equals(Instant.MIN)) {
      paceWindow.start(now, readings, running);
      useWindow.start(now, readings, running);
    }
    if (paceWindow.isFinished(now, windowLength) && hasEnoughProgress(readings)) {
      stragglers.addAll(judgePace(readings));
      paceWindow.start(now, readings, running);
    }
    if (useWindow.isFinished(now, windowLength)) {
      stragglers.addAll(judgeUse(readings));
      useWindow.start(now, readings, running);
    }
    return stragglers;
  }

  /**
   * Returns true if this window contains enough progress for a comparison: at least half of the
   * tasks that report progress have written {@link #MIN_LINES} lines in it. Otherwise the window is
   * extended, because the programs report seldom.
   */
  private boolean hasEnoughProgress(List<UsageReading> readings) {
    int reporting = 0;
    int enough = 0;
    for (int i = 0; i < tasks; i++) {
      if (paceWindow.ranThroughout[i] && paceWindow.before.get(i).progress() != null) {
        reporting++;
        int lines = readings.get(i).lineCount() - paceWindow.before.get(i).lineCount();
        enough += lines >= MIN_LINES ? 1 : 0;
      }
    }
    return 2 * enough >= reporting;
  }

  private List<UsageFact.Straggler> judgePace(List<UsageReading> readings) {
    double whole = medianWhole(readings);
    double[] figures =
        figures(
            paceWindow,
            i -> {
              UsageReading now = readings.get(i);
              // Compare only progress with the same total: percentages and steps have different
              // units.
              return now.progress() != null && Double.compare(now.progress().total(), whole) == 0
                  ? now.pace(paceWindow.before.get(i))
                  : Double.NaN;
            });
    boolean[] exempt = new boolean[tasks];
    if (chief >= 0) {
      // A chief without progress evaluates the model or saves a checkpoint, and is not behind.
      exempt[chief] = figures[chief] == 0;
    }
    return findStragglers(pace, paceWindow.startedAt, figures, exempt, StragglerMessage::pace);
  }

  private static double medianWhole(List<UsageReading> readings) {
    double[] wholes =
        readings.stream()
            .filter(reading -> reading.progress() != null)
            .mapToDouble(reading -> reading.progress().total())
            .sorted()
            .toArray();
    return wholes.length == 0 ? Double.NaN : wholes[wholes.length / 2];
  }

  private List<UsageFact.Straggler> judgeUse(List<UsageReading> readings) {
    boolean[] exempt = new boolean[tasks];
    if (chief >= 0) {
      // The chief also does other work, for which the others wait, so it is not compared.
      exempt[chief] = true;
    }
    double[] percents =
        figures(useWindow, i -> readings.get(i).gpuPercent(useWindow.before.get(i)));
    if (Arrays.stream(percents).anyMatch(Double::isFinite)) {
      return findStragglers(gpus, useWindow.startedAt, percents, exempt, StragglerMessage::gpus);
    }
    double[] busy = figures(useWindow, i -> readings.get(i).cores(useWindow.before.get(i)));
    PeerComparison peers = PeerComparison.of(CORES, busy);
    for (int i = 0; i < tasks; i++) {
      worked[i] |= peers.keepsUp(busy[i]);
      // A task that was never busy has other work, like the launcher of MPI, and is not compared.
      exempt[i] |= !worked[i];
    }
    return findStragglers(cores, useWindow.startedAt, busy, exempt, StragglerMessage::cores);
  }

  private double[] figures(Window window, ToDoubleFunction<Integer> figure) {
    double[] figures = new double[tasks];
    for (int i = 0; i < tasks; i++) {
      figures[i] = running[i] && window.ranThroughout[i] ? figure.applyAsDouble(i) : Double.NaN;
    }
    return figures;
  }

  // ---- Reports ----

  private interface MessageFormatter {
    String of(String task, String role, Finding finding);
  }

  /**
   * Returns a report about each new straggler, at most once per start of its program, and one about
   * each reported straggler that has recovered.
   */
  private List<UsageFact.Straggler> findStragglers(
      LagDetector detector,
      Instant startedAt,
      double[] figures,
      boolean[] exempt,
      MessageFormatter formatter) {
    List<UsageFact.Straggler> stragglers = new ArrayList<>();
    for (Finding finding : detector.addWindow(startedAt, figures, exempt)) {
      int index = finding.index();
      TaskId task = new TaskId(role, index);
      String who = task + " on " + nodes[index];
      if (finding.recovered() && detector.equals(reportedBy[index])) {
        reportedBy[index] = null;
        stragglers.add(
            new UsageFact.Straggler(task, nodes[index], StragglerMessage.recovered(who), true));
      } else if (!finding.recovered() && !reported[index] && mayReportMore()) {
        reported[index] = true;
        reportedBy[index] = detector;
        String message = formatter.of(who, role, finding);
        stragglers.add(new UsageFact.Straggler(task, nodes[index], message, false));
      }
    }
    return stragglers;
  }

  private boolean mayReportMore() {
    return Arrays.stream(reportedBy).filter(Objects::nonNull).count() < MAX_REPORTED;
  }
}
