package io.tony.executor.rpc;

/**
 * What an executor took up last of what it does beside the course of its task, so that it is not
 * told again. 0 for none.
 *
 * @param stacksRequestId the number of the question
 * @param tunnelId its number
 */
public record HandledSideCommands(long stacksRequestId, long tunnelId) {
  public static final HandledSideCommands NONE = new HandledSideCommands(0, 0);
}
