package io.tony.executor.rpc;

/**
 * Where a program stands.
 *
 * @param requestId that this answers
 * @param place of its main thread; empty where that cannot be seen
 * @param text what was written of all threads; null where nobody wants it
 * @param problem why something cannot be seen, and the remedy; empty where all can
 */
public record StackReport(long requestId, String place, String text, String problem) {}
