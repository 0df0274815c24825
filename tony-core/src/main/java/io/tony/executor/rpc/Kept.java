package io.tony.executor.rpc;

/**
 * What became of a checkpoint that the program named.
 *
 * @param set name of the set's folder
 * @param step whether the set's number is a step that the program named
 * @param bytes of all its files; 0 where it was not kept
 * @param tookMs how long the copy took
 * @param namedMs when the program named it, in milliseconds since 1970 by this node's clock
 * @param problem why it was not kept, and the remedy; null where it was
 * @param path as the program named it; the beginning of a long one
 * @param kept URI of the file or folder in the cluster's file system; null where it was not kept
 * @param askedMs when the program had been asked for one last, before it named it; 0 for never
 */
public record Kept(
    String set,
    boolean step,
    long bytes,
    long tookMs,
    long namedMs,
    String problem,
    String path,
    String kept,
    long askedMs) {

  /** For people. */
  public String outcome() {
    return problem == null ? "kept as " + kept : "not kept: " + problem;
  }

  /** The same, which was not kept for another reason. */
  public Kept because(String why) {
    return new Kept(set, step, bytes, tookMs, namedMs, why, path, kept, askedMs);
  }
}
