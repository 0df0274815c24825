package io.tony.am.http;

import java.time.Duration;

/**
 * What the callers of one server may take, all together.
 *
 * @param maxPending connections at a time that have not finished their request, or not taken its
 *     answer
 * @param maxParked connections at a time that wait for the server
 * @param maxBufferedBytes of requests that have come in part or wait, and of answers that are not
 *     read
 * @param requestTimeout for a request from the first byte of its connection to the last, and for
 *     its answer: bytes that trickle do not lengthen it
 */
public record ConnectionCaps(
    int maxPending, int maxParked, long maxBufferedBytes, Duration requestTimeout) {}
