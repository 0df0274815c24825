package io.tony.executor.rpc;

/**
 * The last side commands (those that do not affect the task's state) that an executor handled; sent
 * to the ApplicationMaster, which then does not send them again.
 *
 * @param stacksRequestId ID of the last stacks request; 0 for none
 * @param tunnelId ID of the last tunnel request; 0 for none
 */
public record HandledSideCommands(long stacksRequestId, long tunnelId) {
  public static final HandledSideCommands NONE = new HandledSideCommands(0, 0);
}
