package io.tony.am.serve;

import java.time.Duration;

/**
 * What the callers of one server may take, all together.
 *
 * @param strangers connections at a time that have not finished their request, or not taken its
 *     answer
 * @param settled connections at a time that wait for the server
 * @param heldBytes of requests that have come in part or wait, and of answers that are not read
 * @param patience for a request from the first byte of its connection to the last, and for its
 *     answer: bytes that trickle do not lengthen it
 */
public record Caps(int strangers, int settled, long heldBytes, Duration patience) {}
