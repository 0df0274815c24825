package io.tony.executor.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Stacks of a running program, or why they could not be read.
 *
 * @param requestId ID of the answered {@link ExecutorCommand.AskForStacks}
 * @param place where the main thread is; empty if unknown
 * @param text stacks of all threads; null if they were not requested
 * @param problem why something could not be read, and the remedy; empty on success
 */
public record StackReport(long requestId, String place, @Nullable String text, String problem) {}
