package io.tony.am.usage;

import io.tony.am.usage.Watch.Finding;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * The tasks of one role, which do the same work: whether one makes less progress than the others,
 * or uses its processors less. {@code docs/stragglers.md} says what that can tell and what not.
 */
final class RoleWatch {
  private static final Peers.Rule PACE = new Peers.Rule(0.7, 0.5, 0.9, 0.15, 0);
  private static final Peers.Rule GPUS = new Peers.Rule(0.25, 0.1, 0.5, 0.3, 30);
  private static final Peers.Rule CORES = new Peers.Rule(0.25, 0.1, 0.5, 0.3, 0.5);

  private static final int STEADY_PACE = 4;

  /** Longer: a task may well wait for a while, as for a checkpoint that is written. */
  private static final int STEADY_USE = 10;

  /** Tasks that are named and have not recovered: who reads more looks for what they share. */
  static final int MOST_NAMED = 20;

  /** Lines of progress from which a task's pace in a window can be told. */
  private static final int LEAST_LINES = 2;

  /** A time, and where each task stood when it began. */
  private static final class Window {
    Instant began;
    List<Reading> before = List.of();
    boolean[] throughout;

    void begin(Instant at, List<Reading> readings, boolean[] running) {
      began = at;
      before = readings;
      throughout = running.clone();
    }

    boolean isOver(Instant now, Duration length) {
      return Duration.between(began, now).compareTo(length) >= 0;
    }
  }

  private final String role;
  private final Duration length;
  private final int chief;
  private final int tasks;
  private final boolean[] running;
  private final boolean[] worked; // as much as the others, once since it was started
  private final String[] nodes;
  private final boolean[] named; // once since it was started, by whichever ApplicationMaster
  private final Watch[] namedBy; // the one that may withdraw it; null where there is none
  private final Window paceWindow = new Window();
  private final Window useWindow = new Window();
  private final Watch pace;
  private final Watch gpus;
  private final Watch cores;

  /**
   * @param chief the index of the job's chief; negative where it is of another role
   * @param length of a window
   */
  RoleWatch(String role, int tasks, int chief, Duration length) {
    this.role = role;
    this.tasks = tasks;
    this.chief = chief;
    this.length = length;
    running = new boolean[tasks];
    worked = new boolean[tasks];
    nodes = new String[tasks];
    Arrays.fill(nodes, "");
    named = new boolean[tasks];
    namedBy = new Watch[tasks];
    pace = new Watch(PACE, STEADY_PACE, tasks);
    gpus = new Watch(GPUS, STEADY_USE, tasks);
    cores = new Watch(CORES, STEADY_USE, tasks);
  }

  // ---- What becomes of the tasks ----

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

  /** Containers may be those of other tasks; these run no program then. */
  void resized(SizeFact.Resized fact) {
    fact.moved()
        .forEach(
            (old, now) -> {
              nodes[now] = nodes[old];
              forget(now);
            });
    for (int i = fact.instances(); i < tasks; i++) {
      forget(i);
    }
  }

  /** It was named; that is done once for each start. */
  void named(int index) {
    named[index] = true;
  }

  /** None of them runs any more. */
  void forgetAll() {
    for (int i = 0; i < tasks; i++) {
      forget(i);
    }
  }

  private void forget(int index) {
    running[index] = false;
    worked[index] = false;
    named[index] = false;
    namedBy[index] = null;
    for (Window window : List.of(paceWindow, useWindow)) {
      if (window.throughout != null) {
        window.throughout[index] = false;
      }
    }
    List.of(pace, gpus, cores).forEach(watch -> watch.forget(index));
  }

  // ---- Windows ----

  /** What is known now and was not before. */
  List<UsageFact.Straggler> judge(Instant now, List<Reading> readings) {
    List<UsageFact.Straggler> named = new ArrayList<>();
    if (paceWindow.began == null) {
      paceWindow.begin(now, readings, running);
      useWindow.begin(now, readings, running);
    }
    if (paceWindow.isOver(now, length) && isToldEnough(readings)) {
      named.addAll(judgePace(readings));
      paceWindow.begin(now, readings, running);
    }
    if (useWindow.isOver(now, length)) {
      named.addAll(judgeUse(readings));
      useWindow.begin(now, readings, running);
    }
    return named;
  }

  /** Programs may write their progress seldom: then a window is as long as it takes. */
  private boolean isToldEnough(List<Reading> readings) {
    int telling = 0;
    int enough = 0;
    for (int i = 0; i < tasks; i++) {
      if (paceWindow.throughout[i] && paceWindow.before.get(i).reached() != null) {
        telling++;
        int lines = readings.get(i).lines() - paceWindow.before.get(i).lines();
        enough += lines >= LEAST_LINES ? 1 : 0;
      }
    }
    return 2 * enough >= telling;
  }

  private List<UsageFact.Straggler> judgePace(List<Reading> readings) {
    double whole = middleWhole(readings);
    double[] figures =
        figures(
            paceWindow,
            i -> {
              Reading now = readings.get(i);
              // Percents and steps do not compare.
              return now.reached() != null && Double.compare(now.reached().whole(), whole) == 0
                  ? now.pace(paceWindow.before.get(i))
                  : Double.NaN;
            });
    boolean[] exempt = new boolean[tasks];
    if (chief >= 0) {
      exempt[chief] = figures[chief] == 0; // it evaluates, or saves
    }
    return told(pace, paceWindow.began, figures, exempt, StragglerWords::pace);
  }

  private static double middleWhole(List<Reading> readings) {
    double[] wholes =
        readings.stream()
            .filter(reading -> reading.reached() != null)
            .mapToDouble(reading -> reading.reached().whole())
            .sorted()
            .toArray();
    return wholes.length == 0 ? Double.NaN : wholes[wholes.length / 2];
  }

  private List<UsageFact.Straggler> judgeUse(List<Reading> readings) {
    boolean[] exempt = new boolean[tasks];
    if (chief >= 0) {
      exempt[chief] = true; // it has work of its own, for which the others wait
    }
    double[] percents =
        figures(useWindow, i -> readings.get(i).gpuPercent(useWindow.before.get(i)));
    if (Arrays.stream(percents).anyMatch(Double::isFinite)) {
      return told(gpus, useWindow.began, percents, exempt, StragglerWords::gpus);
    }
    double[] busy = figures(useWindow, i -> readings.get(i).cores(useWindow.before.get(i)));
    Peers peers = Peers.of(CORES, busy);
    for (int i = 0; i < tasks; i++) {
      worked[i] |= peers.keepsUp(busy[i]);
      // One that never did has other work, as MPI's launcher.
      exempt[i] |= !worked[i];
    }
    return told(cores, useWindow.began, busy, exempt, StragglerWords::cores);
  }

  private double[] figures(Window window, ToDoubleFunction<Integer> figure) {
    double[] figures = new double[tasks];
    for (int i = 0; i < tasks; i++) {
      figures[i] = running[i] && window.throughout[i] ? figure.applyAsDouble(i) : Double.NaN;
    }
    return figures;
  }

  // ---- What is told of it ----

  private interface Words {
    String of(String task, String role, Finding finding);
  }

  /** Once for each start of a task, and once more when that is over. */
  private List<UsageFact.Straggler> told(
      Watch watch, Instant began, double[] figures, boolean[] exempt, Words words) {
    List<UsageFact.Straggler> told = new ArrayList<>();
    for (Finding finding : watch.window(began, figures, exempt)) {
      int index = finding.index();
      TaskId task = new TaskId(role, index);
      String who = task + " on " + nodes[index];
      if (finding.recovered() && watch.equals(namedBy[index])) {
        namedBy[index] = null;
        told.add(new UsageFact.Straggler(task, nodes[index], StragglerWords.recovered(who), true));
      } else if (!finding.recovered() && !named[index] && mayNameMore()) {
        named[index] = true;
        namedBy[index] = watch;
        String message = words.of(who, role, finding);
        told.add(new UsageFact.Straggler(task, nodes[index], message, false));
      }
    }
    return told;
  }

  private boolean mayNameMore() {
    return Arrays.stream(namedBy).filter(Objects::nonNull).count() < MOST_NAMED;
  }
}
