package io.tony.executor.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of the upload of one checkpoint that the program named.
 *
 * @param checkpointName name of the checkpoint set, which is also the name of its folder
 * @param hasStep whether the set's number is a training step that the program named
 * @param bytes total size of all files; 0 if the checkpoint was not saved
 * @param durationMs duration of the copy, in milliseconds
 * @param namedMs when the program named the checkpoint, in milliseconds since 1970 by this node's
 *     clock
 * @param problem why the checkpoint was not saved, and the remedy; null if it was saved
 * @param path path as the program named it, truncated if long
 * @param uri URI of the file or folder in the cluster's file system; null if the checkpoint was not
 *     saved
 * @param askedMs time of the last checkpoint request before the program named this checkpoint, in
 *     milliseconds since 1970; 0 if there was none
 */
public record CheckpointOutcome(
    String checkpointName,
    boolean hasStep,
    long bytes,
    long durationMs,
    long namedMs,
    @Nullable String problem,
    String path,
    @Nullable String uri,
    long askedMs) {

  /** Returns a summary for log messages. */
  public String summary() {
    return problem == null ? "kept as " + uri : "not kept: " + problem;
  }

  /** Returns a copy with another {@link #problem}. */
  public CheckpointOutcome withProblem(String newProblem) {
    return new CheckpointOutcome(
        checkpointName, hasStep, bytes, durationMs, namedMs, newProblem, path, uri, askedMs);
  }
}
