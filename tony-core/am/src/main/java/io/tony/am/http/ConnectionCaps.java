package io.tony.am.http;

import java.time.Duration;

/**
 * Limits for all connections of one server together.
 *
 * @param maxPending maximum number of connections whose request is incomplete or whose answer is
 *     unread
 * @param maxParked maximum number of connections whose complete request waits for its answer
 * @param maxBufferedBytes maximum number of bytes of incomplete and waiting requests and of unread
 *     answers
 * @param requestTimeout maximum time from opening a connection to its complete request, and again
 *     for sending the answer; bytes that arrive slowly do not extend it
 */
public record ConnectionCaps(
    int maxPending, int maxParked, long maxBufferedBytes, Duration requestTimeout) {}
