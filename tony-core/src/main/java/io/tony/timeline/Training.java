package io.tony.timeline;

import io.tony.model.FailureKind;
import io.tony.model.Reached;
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
final class Training {
  /** What a run goes on from that starts clean. No set has this name. */
  static final String NOTHING = "";

  /** What the runs before this one leave open: whether what was trained after a point is kept. */
  private record Open(FailureKind kind, long keptFor) {}

  /** Of more checkpoints than these, nobody goes on from the oldest. */
  private static final int MOST_CHECKPOINTS = 64;

  /**
   * How much it is, and what is lost.
   *
   * @param byProgress whether progress told all that restarts lost
   */
  record Sum(long kept, Map<FailureKind, Long> lost, boolean byProgress) {}

  private final KeptCurve curve = new KeptCurve();
  private final Map<FailureKind, Long> lost = new EnumMap<>(FailureKind.class);
  private boolean byProgress = true;

  /** Kept as far as is known, what is open and this run included. */
  private long kept;

  /** Of that, what came before this run. */
  private long runBegan;

  /** Of that, what is kept whatever becomes of this run: another has gone on from there. */
  private long safe;

  /** By the names of sets of checkpoints: after how much training they were named. */
  private final TreeMap<String, Long> checkpoints = new TreeMap<>();

  private Open open; // null where nothing is
  private boolean told;

  /** Programs ran for so long. */
  void ran(long millis) {
    kept += millis;
  }

  void progressed(Reached reached) {
    if (!told) {
      told = true;
      resume(reached);
    }
    curve.reach(reached, kept);
  }

  /** Whoever tells the progress is started again, and the others go on. */
  void tellerStartedAgain() {
    curve.beginRun();
  }

  private void resume(Reached reached) {
    curve.beginRun();
    if (open == null) {
      return;
    }
    OptionalLong first = curve.firstAt(reached);
    if (first.isPresent()) {
      add(lost, open.kind(), kept - first.getAsLong());
      kept = first.getAsLong();
      runBegan = kept;
      curve.cut(kept);
    } else if (!curve.tells()) {
      loseOpen();
    }
    safe = Math.max(runBegan, Math.min(safe, kept)); // it may have kept a checkpoint by now
    open = null;
  }

  /** The run is over, because of a failure, and another begins. */
  void startedAgain(FailureKind kind) {
    if (open == null) {
      open = new Open(kind, safe);
    } else {
      loseRun(kind);
    }
    runBegan = kept;
    told = false;
  }

  /**
   * A set of checkpoints is whole: what was trained before it was named is kept, whatever comes.
   *
   * @param since milliseconds of training since then
   */
  void kept(String set, long since) {
    long trained = Math.max(0, kept - since);
    checkpoints.put(set, trained);
    if (checkpoints.size() > MOST_CHECKPOINTS) {
      checkpoints.pollFirstEntry();
    }
    safe = Math.max(safe, trained);
  }

  /** The run that begins goes on from there: from nothing of this job, where it is not known. */
  void resumes(String set) {
    if (open == null) {
      return; // the first run of the job lost nothing
    }
    long trained = Math.min(kept, checkpoints.getOrDefault(set, 0L));
    add(lost, open.kind(), kept - trained);
    kept = trained;
    runBegan = trained;
    safe = trained;
    curve.cut(trained);
    open = new Open(open.kind(), trained); // its progress may yet tell that it lost more
  }

  private void loseRun(FailureKind kind) {
    byProgress &= kept == runBegan || safe > runBegan;
    long left = Math.max(runBegan, safe);
    add(lost, kind, kept - left);
    kept = left;
  }

  private void loseOpen() {
    long more = runBegan - open.keptFor();
    byProgress &= more == 0;
    add(lost, open.kind(), more);
    kept -= more;
    runBegan -= more;
    open = null;
  }

  /**
   * If it ended now.
   *
   * @param ran milliseconds of training after what was told last
   * @param failure by which the job ended, so that nothing tells that this run left anything; null
   *     where it runs or has succeeded
   */
  Sum sum(long ran, FailureKind failure) {
    Map<FailureKind, Long> all = new EnumMap<>(FailureKind.class);
    all.putAll(lost);
    long sum = kept + ran;
    boolean measured = byProgress;
    long before = runBegan; // of the sum, what is not this run's to lose
    if (open != null) {
      long unknown = runBegan - open.keptFor();
      add(all, open.kind(), unknown);
      sum -= unknown;
      before = Math.max(runBegan, safe) - unknown;
      measured &= unknown == 0;
    } else {
      before = safe;
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
