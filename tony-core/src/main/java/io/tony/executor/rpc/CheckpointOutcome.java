package io.tony.executor.rpc;

/**
 * What became of a checkpoint that the program named.
 *
 * @param checkpointName name of the set's folder
 * @param hasStep whether the set's number is a step that the program named
 * @param bytes of all its files; 0 where it was not kept
 * @param durationMs how long the copy took
 * @param namedMs when the program named it, in milliseconds since 1970 by this node's clock
 * @param problem why it was not kept, and the remedy; null where it was
 * @param path as the program named it; the beginning of a long one
 * @param uri URI of the file or folder in the cluster's file system; null where it was not kept
 * @param askedMs when the program had been asked for one last, before it named it; 0 for never
 */
public record CheckpointOutcome(
    String checkpointName,
    boolean hasStep,
    long bytes,
    long durationMs,
    long namedMs,
    String problem,
    String path,
    String uri,
    long askedMs) {

  /** For people. */
  public String summary() {
    return problem == null ? "kept as " + uri : "not kept: " + problem;
  }

  /** The same, which was not kept for another reason. */
  public CheckpointOutcome withProblem(String newProblem) {
    return new CheckpointOutcome(
        checkpointName, hasStep, bytes, durationMs, namedMs, newProblem, path, uri, askedMs);
  }
}
