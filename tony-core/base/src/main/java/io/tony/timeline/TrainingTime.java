package io.tony.timeline;

import io.tony.metrics.ReportedProgress;
import io.tony.model.FailureKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Computes how much of a job's training was kept and lost, in milliseconds. A run begins with each
 * start of the gang. When the new run after a restart first reports its progress, the loss becomes
 * known: everything since an earlier run first reached this progress, including the time that the
 * new run took to reach it. Until then, and without any progress reports, everything since the
 * previous start counts as lost. A gang that resumes from a saved checkpoint loses only the
 * training since the program reported that checkpoint. Not thread-safe.
 */
final class TrainingTime {
  /**
   * Name to pass to {@link #recordResume} for a run that starts from scratch; no checkpoint set has
   * this name.
   */
  static final String NO_CHECKPOINT = "";

  /**
   * A loss of previous runs whose amount is not known yet: at most the training after {@code
   * safeMillis}.
   *
   * @param kind kind of failure that caused the loss
   * @param safeMillis the part of the training that the failure could not lose, in milliseconds
   */
  private record PendingLoss(FailureKind kind, long safeMillis) {}

  /**
   * Maximum number of checkpoint sets remembered; older ones are never resumed from, so their
   * training times are dropped.
   */
  private static final int MAX_CHECKPOINTS = 64;

  /**
   * Kept and lost training, in milliseconds.
   *
   * @param lost lost training by the kind of failure that lost it
   * @param byProgress false if the loss of a restart could not be determined from progress reports
   */
  record Sum(long keptMillis, Map<FailureKind, Long> lost, boolean byProgress) {}

  private final ProgressCurve curve = new ProgressCurve();
  private final Map<FailureKind, Long> lost = new EnumMap<>(FailureKind.class);
  private boolean byProgress = true;

  /**
   * Training that was kept, as far as known. Includes the current run, and pending losses until
   * their amount is known.
   */
  private long keptMillis;

  /** Part of {@code keptMillis} that is from before the current run. */
  private long runStartMillis;

  /**
   * Part of {@code keptMillis} that cannot be lost any more, because a complete checkpoint set
   * contains it or because a later run has resumed from there.
   */
  private long safeMillis;

  /** Training time at which a program reported the checkpoint, by name of the checkpoint set. */
  private final TreeMap<String, Long> checkpoints = new TreeMap<>();

  // The loss caused by the last restart while its amount is unknown; null if there is none.
  private @Nullable PendingLoss pendingLoss;
  private boolean progressReported;

  /** Adds {@code millis} in which programs ran. */
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

  /**
   * Records that the task that reports the job's progress was restarted while the other tasks keep
   * running. Its next report may be lower than its last one.
   */
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
      lose(pendingLoss);
    }
    // The current run may already have saved a checkpoint; the training up to it stays safe.
    safeMillis = Math.max(runStartMillis, Math.min(safeMillis, keptMillis));
    pendingLoss = null;
  }

  /** Records that a run ended with a failure of this kind and that another run begins. */
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
   * Records that a checkpoint set is complete: the training before it cannot be lost any more.
   *
   * @param set name of the checkpoint set
   * @param since milliseconds of training since the programs reported the checkpoint
   */
  void recordCheckpoint(String set, long since) {
    long trained = Math.max(0, keptMillis - since);
    checkpoints.put(set, trained);
    if (checkpoints.size() > MAX_CHECKPOINTS) {
      checkpoints.pollFirstEntry();
    }
    safeMillis = Math.max(safeMillis, trained);
  }

  /**
   * Records the name of the checkpoint set from which the new run resumes. An unknown set, for
   * example of another job, contains no training of this job.
   */
  void recordResume(String set) {
    if (pendingLoss == null) {
      // This is the first run of the job, so no training was lost.
      return;
    }
    long trained = Math.min(keptMillis, checkpoints.getOrDefault(set, 0L));
    add(lost, pendingLoss.kind(), keptMillis - trained);
    keptMillis = trained;
    runStartMillis = trained;
    safeMillis = trained;
    curve.truncate(trained);
    // The progress reports of the new run may still show a larger loss, so keep the loss pending.
    pendingLoss = new PendingLoss(pendingLoss.kind(), trained);
  }

  private void loseRun(FailureKind kind) {
    byProgress &= keptMillis == runStartMillis || safeMillis > runStartMillis;
    long remaining = Math.max(runStartMillis, safeMillis);
    add(lost, kind, keptMillis - remaining);
    keptMillis = remaining;
  }

  private void lose(PendingLoss loss) {
    long more = runStartMillis - loss.safeMillis();
    byProgress &= more == 0;
    add(lost, loss.kind(), more);
    keptMillis -= more;
    runStartMillis -= more;
  }

  /**
   * Returns the totals as if the job ended now.
   *
   * @param extraMillis training time since the last event, in milliseconds
   * @param failure failure that ended the job, whose unsaved training counts as lost; null if the
   *     job succeeded or still runs
   */
  Sum sum(long extraMillis, @Nullable FailureKind failure) {
    Map<FailureKind, Long> all = new EnumMap<>(FailureKind.class);
    all.putAll(lost);
    long sum = keptMillis + extraMillis;
    boolean measured = byProgress;
    // Part of the sum that the failure cannot lose.
    long before = runStartMillis;
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
