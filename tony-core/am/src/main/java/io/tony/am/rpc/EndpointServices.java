package io.tony.am.rpc;

import io.tony.am.loop.EventSink;
import java.time.InstantSource;

/** Services that the endpoint for executors and the endpoint for clients share. */
record EndpointServices(
    EventSink sink,
    InstantSource clock,
    EventFeed feed,
    TokenUpdates tokens,
    StackRequests stacks,
    Tunnels tunnels) {}
