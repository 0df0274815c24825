package io.tony.am.rpc;

import io.tony.am.EventSink;
import io.tony.am.machine.Event;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The lines of the event log so far, those of earlier ApplicationMasters first, for those who
 * watch. How many a watcher has seen is good with the next ApplicationMaster as well.
 */
public final class EventFeed {
  private static final int MAX_CHARACTERS = 1024 * 1024;

  private final ScheduledExecutorService scheduler;
  private final List<String> lines = new ArrayList<>();
  private final Map<HeldCall, Integer> watchers = new HashMap<>();
  private boolean finished;
  private ScheduledFuture<?> unwatched;
  private Runnable restartUnwatched = () -> {};

  EventFeed(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }

  public synchronized void append(List<String> more) {
    lines.addAll(more);
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

  /** Asks for the job's end when nobody has watched for so long. */
  synchronized void stopWhenUnwatched(Duration limit, EventSink sink, InstantSource clock) {
    restartUnwatched =
        () -> {
          if (unwatched != null) {
            unwatched.cancel(false);
          }
          unwatched =
              scheduler.schedule(
                  () ->
                      sink.offer(
                          new Event.StopRequested(
                              clock.instant(),
                              "tony.application.client-lost-timeout: no client has asked for "
                                  + limit.toSeconds()
                                  + " s")),
                  // A client that is held asks again only when its patience ends.
                  limit.toMillis() + HeldCall.PATIENCE_MS,
                  TimeUnit.MILLISECONDS);
        };
    restartUnwatched.run();
  }

  /** What the caller has not seen yet, or null when the call is held until there is something. */
  synchronized WatchResponse watch(int seen, long patienceMillis) {
    restartUnwatched.run();
    if (finished || seen < lines.size()) {
      return since(seen);
    }
    watchers.keySet().removeIf(HeldCall::answered);
    watchers.put(HeldCall.hold(since(seen), patienceMillis, scheduler), seen);
    return null;
  }

  /** As much as one answer should hold: whoever has not seen all by then asks again. */
  private WatchResponse since(int seen) {
    WatchResponse.Builder response = WatchResponse.newBuilder();
    int next = Math.min(seen, lines.size());
    for (int characters = 0; next < lines.size() && characters < MAX_CHARACTERS; next++) {
      response.addEvents(lines.get(next));
      characters += lines.get(next).length();
    }
    return response.setFinished(finished && next == lines.size()).build();
  }
}
