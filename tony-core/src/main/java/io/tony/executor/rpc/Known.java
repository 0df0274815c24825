package io.tony.executor.rpc;

/**
 * What an executor took up last of what it does beside the course of its task, so that it is not
 * told again. 0 for none.
 *
 * @param stacks the number of the question
 * @param tunnel its number
 */
public record Known(long stacks, long tunnel) {
  public static final Known NOTHING = new Known(0, 0);
}
