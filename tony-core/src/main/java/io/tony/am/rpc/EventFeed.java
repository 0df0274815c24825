package io.tony.am.rpc;

import io.tony.protocol.proto.TonyProtos.WatchResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/** The lines of the event log so far, for those who watch. */
public final class EventFeed {
  private final ScheduledExecutorService scheduler;
  private final List<String> lines = new ArrayList<>();
  private final Map<HeldCall, Integer> watchers = new HashMap<>();
  private boolean finished;

  EventFeed(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }

  public synchronized void append(String line) {
    lines.add(line);
    answerWatchers();
  }

  /** YARN knows the result and the log is complete: everybody is told. */
  public synchronized void finish() {
    finished = true;
    answerWatchers();
  }

  private void answerWatchers() {
    watchers.forEach((call, seen) -> call.answer(since(seen)));
    watchers.clear();
  }

  /** What the caller has not seen yet, or null when the call is held until there is something. */
  synchronized WatchResponse watch(int seen) {
    if (finished || seen < lines.size()) {
      return since(seen);
    }
    watchers.put(HeldCall.hold(since(seen), scheduler), seen);
    return null;
  }

  private WatchResponse since(int seen) {
    int from = Math.min(seen, lines.size());
    return WatchResponse.newBuilder()
        .addAllEvents(lines.subList(from, lines.size()))
        .setFinished(finished)
        .build();
  }
}
