package io.tony.executor.rpc;

/**
 * Stacks of a running program.
 *
 * @param requestId ID of the request that this answers
 * @param place place of the main thread; empty if it could not be read
 * @param text stacks of all threads; null if they were not requested
 * @param problem why something could not be read, and the remedy; empty on success
 */
public record StackReport(long requestId, String place, String text, String problem) {}
