package io.tony.executor.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.CheckpointPlan;
import io.tony.model.TaskId;
import io.tony.protocol.ReportLimits;
import io.tony.text.Strings;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint from the moment the program names it until it is uploaded or given up.
 *
 * @param namedCheckpoint the line that names the checkpoint
 * @param name name of the checkpoint set
 * @param made when the program named the checkpoint
 * @param askedMs time of the last checkpoint request before that, in milliseconds since 1970; 0 if
 *     there was none
 * @param snapshot the checkpoint's files; null if no snapshot could be taken
 */
record PendingCheckpoint(
    NamedCheckpoint namedCheckpoint,
    CheckpointName name,
    Instant made,
    long askedMs,
    @Nullable Snapshot snapshot) {

  /** Returns the checkpoint's files. Call only if a snapshot was taken. */
  @Override
  public Snapshot snapshot() {
    return Objects.requireNonNull(snapshot);
  }

  /** Returns the manifest to upload with this checkpoint; its list of files is still empty. */
  Manifest manifest(TaskId task, CheckpointPlan.Upload plan) {
    return new Manifest(
        task,
        plan.taskCount(),
        name.number(),
        hasStep(),
        made,
        plan.application(),
        plan.maker(),
        plan.training(),
        snapshot().name(),
        snapshot().isFolder(),
        List.of());
  }

  private boolean hasStep() {
    return namedCheckpoint.step() != NamedCheckpoint.NO_STEP;
  }

  /**
   * Returns the outcome to report if this checkpoint was uploaded.
   *
   * @param bytes total size of all files
   * @param durationMs how long the upload took, in milliseconds
   * @param uri URI of the copy in the cluster
   */
  CheckpointOutcome savedOutcome(long bytes, long durationMs, String uri) {
    return outcome(bytes, durationMs, null, uri);
  }

  /** Returns the outcome to report if this checkpoint could not be uploaded. */
  CheckpointOutcome failedOutcome(Exception why) {
    return failedOutcome(Objects.requireNonNullElse(why.getMessage(), why.toString()));
  }

  CheckpointOutcome failedOutcome(String why) {
    return outcome(0, 0, Strings.truncate(why, ReportLimits.MAX_MESSAGE_CHARS), null);
  }

  private CheckpointOutcome outcome(
      long bytes, long durationMs, @Nullable String problem, @Nullable String uri) {
    return new CheckpointOutcome(
        name.toString(),
        hasStep(),
        bytes,
        durationMs,
        made.toEpochMilli(),
        problem,
        Strings.truncate(namedCheckpoint.path(), ReportLimits.MAX_PROGRESS_CHARS),
        uri,
        askedMs);
  }
}
