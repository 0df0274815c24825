package io.tony.executor.rpc;

/**
 * IDs of the last stacks request and the last tunnel request that an executor handled. The executor
 * sends them to the ApplicationMaster, which then does not send these requests again.
 *
 * @param stacksRequestId ID of the last stacks request; 0 for none
 * @param tunnelId ID of the last tunnel request; 0 for none
 */
public record HandledSideCommands(long stacksRequestId, long tunnelId) {
  public static final HandledSideCommands NONE = new HandledSideCommands(0, 0);
}
