package io.tony.timeline;

import io.tony.metrics.ReportedProgress;
import io.tony.model.FailureKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * How much of a job's training is kept, in milliseconds. What a restart lost is known when the new
 * run tells how far it is: all since the old one first was there, and what the new one took to be
 * there. Until then, and where no program tells anything, all since the start before counts. A gang
 * that goes on from a checkpoint that was kept loses what was trained since the program named it.
 */
final class TrainingTime {
  /** What a run goes on from that starts clean. No set has this name. */
  static final String NO_CHECKPOINT = "";

  /** What the runs before this one leave open: whether what was trained after a point is kept. */
  private record PendingLoss(FailureKind kind, long safeMillis) {}

  /** Of more checkpoints than these, nobody goes on from the oldest. */
  private static final int MAX_CHECKPOINTS = 64;

  /**
   * How much it is, and what is lost.
   *
   * @param byProgress whether progress told all that restarts lost
   */
  record Sum(long keptMillis, Map<FailureKind, Long> lost, boolean byProgress) {}

  private final ProgressCurve curve = new ProgressCurve();
  private final Map<FailureKind, Long> lost = new EnumMap<>(FailureKind.class);
  private boolean byProgress = true;

  /** Kept as far as is known, what is open and this run included. */
  private long keptMillis;

  /** Of that, what came before this run. */
  private long runStartMillis;

  /** Of that, what is kept whatever becomes of this run: another has gone on from there. */
  private long safeMillis;

  /** By the names of sets of checkpoints: after how much training they were named. */
  private final TreeMap<String, Long> checkpoints = new TreeMap<>();

  private PendingLoss pendingLoss; // null where nothing is
  private boolean progressReported;

  /** Programs ran for so long. */
  void addRunTime(long millis) {
    keptMillis += millis;
  }

  void recordProgress(ReportedProgress reached) {
    if (!progressReported) {
      progressReported = true;
      resolvePendingLoss(reached);
    }
    curve.record(reached, keptMillis);
  }

  /** Whoever tells the progress is started again, and the others go on. */
  void recordReporterRestart() {
    curve.beginRun();
  }

  private void resolvePendingLoss(ReportedProgress reached) {
    curve.beginRun();
    if (pendingLoss == null) {
      return;
    }
    OptionalLong first = curve.firstAt(reached);
    if (first.isPresent()) {
      add(lost, pendingLoss.kind(), keptMillis - first.getAsLong());
      keptMillis = first.getAsLong();
      runStartMillis = keptMillis;
      curve.truncate(keptMillis);
    } else if (!curve.isUsable()) {
      losePending();
    }
    safeMillis =
        Math.max(
            runStartMillis,
            Math.min(safeMillis, keptMillis)); // it may have kept a checkpoint by now
    pendingLoss = null;
  }

  /** The run is over, because of a failure, and another begins. */
  void recordRestart(FailureKind kind) {
    if (pendingLoss == null) {
      pendingLoss = new PendingLoss(kind, safeMillis);
    } else {
      loseRun(kind);
    }
    runStartMillis = keptMillis;
    progressReported = false;
  }

  /**
   * A set of checkpoints is whole: what was trained before it was named is kept, whatever comes.
   *
   * @param since milliseconds of training since then
   */
  void recordCheckpoint(String set, long since) {
    long trained = Math.max(0, keptMillis - since);
    checkpoints.put(set, trained);
    if (checkpoints.size() > MAX_CHECKPOINTS) {
      checkpoints.pollFirstEntry();
    }
    safeMillis = Math.max(safeMillis, trained);
  }

  /** The run that begins goes on from there: from nothing of this job, where it is not known. */
  void recordResume(String set) {
    if (pendingLoss == null) {
      return; // the first run of the job lost nothing
    }
    long trained = Math.min(keptMillis, checkpoints.getOrDefault(set, 0L));
    add(lost, pendingLoss.kind(), keptMillis - trained);
    keptMillis = trained;
    runStartMillis = trained;
    safeMillis = trained;
    curve.truncate(trained);
    pendingLoss =
        new PendingLoss(pendingLoss.kind(), trained); // its progress may yet tell that it lost more
  }

  private void loseRun(FailureKind kind) {
    byProgress &= keptMillis == runStartMillis || safeMillis > runStartMillis;
    long remaining = Math.max(runStartMillis, safeMillis);
    add(lost, kind, keptMillis - remaining);
    keptMillis = remaining;
  }

  private void losePending() {
    long more = runStartMillis - pendingLoss.safeMillis();
    byProgress &= more == 0;
    add(lost, pendingLoss.kind(), more);
    keptMillis -= more;
    runStartMillis -= more;
    pendingLoss = null;
  }

  /**
   * If it ended now.
   *
   * @param extraMillis milliseconds of training after what was told last
   * @param failure by which the job ended, so that nothing tells that this run left anything; null
   *     where it runs or has succeeded
   */
  Sum sum(long extraMillis, FailureKind failure) {
    Map<FailureKind, Long> all = new EnumMap<>(FailureKind.class);
    all.putAll(lost);
    long sum = keptMillis + extraMillis;
    boolean measured = byProgress;
    long before = runStartMillis; // of the sum, what is not this run's to lose
    if (pendingLoss != null) {
      long unknown = runStartMillis - pendingLoss.safeMillis();
      add(all, pendingLoss.kind(), unknown);
      sum -= unknown;
      before = Math.max(runStartMillis, safeMillis) - unknown;
      measured &= unknown == 0;
    } else {
      before = safeMillis;
    }
    if (failure != null) {
      add(all, failure, sum - before);
      sum = before;
    }
    return new Sum(sum, all, measured);
  }

  private static void add(Map<FailureKind, Long> lost, FailureKind kind, long millis) {
    if (millis > 0) {
      lost.merge(kind, millis, Long::sum);
    }
  }
}
