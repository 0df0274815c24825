package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import io.tony.checkpoint.SetName;
import io.tony.executor.rpc.Checkpoints;
import io.tony.executor.rpc.Kept;
import io.tony.model.Beginning;
import io.tony.model.TaskId;
import io.tony.protocol.ReportLimits;
import java.time.Instant;
import java.util.List;

/**
 * A checkpoint that the program named, from then until it is kept or given up.
 *
 * @param made when it was named
 * @param askedMs when the program had been asked for one last; 0 for never
 * @param snapshot null where there can be none
 */
record Held(Named named, SetName set, Instant made, long askedMs, Snapshot snapshot) {

  /** Without its files. */
  Manifest manifest(TaskId task, Checkpoints.Keeping keeping) {
    return new Manifest(
        task,
        keeping.tasks(),
        set.number(),
        hasStep(),
        made,
        keeping.application(),
        keeping.maker(),
        keeping.training(),
        snapshot.name(),
        snapshot.isFolder(),
        List.of());
  }

  private boolean hasStep() {
    return named.step() != Named.NO_STEP;
  }

  /**
   * What is told when it is kept.
   *
   * @param uri where it is
   */
  Kept kept(long bytes, long tookMs, String uri) {
    return told(bytes, tookMs, null, uri);
  }

  /** What is told when it cannot be. */
  Kept notKept(Exception why) {
    return notKept(why.getMessage() == null ? why.toString() : why.getMessage());
  }

  Kept notKept(String why) {
    return told(0, 0, Beginning.of(why, ReportLimits.MESSAGE), null);
  }

  private Kept told(long bytes, long tookMs, String problem, String uri) {
    return new Kept(
        set.toString(),
        hasStep(),
        bytes,
        tookMs,
        made.toEpochMilli(),
        problem,
        Beginning.of(named.path(), ReportLimits.PROGRESS),
        uri,
        askedMs);
  }
}
