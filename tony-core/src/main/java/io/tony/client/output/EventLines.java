package io.tony.client.output;

import io.tony.clock.Durations;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Writes events to a job's log for programs such as the job's page, as lines {@code tony-events
 * [{…},{…}]} in the order of the events. Writes at most one line per second, unless the events do
 * not fit into one line. Unique events are in the next line; repeated ones (progress, metrics) wait
 * longer the older the job is. Lines are written only when a caller asks for them, so that the
 * lines for people come first. For use by several threads.
 *
 * <p>URLs in events are written {@code http:\/\/…}, which is equivalent in JSON: otherwise
 * Azkaban's log tab would turn a URL and the rest of its line, up to the next blank, into a link.
 */
final class EventLines {
  /** Types of events that are superseded by the next event of the same type. */
  private static final Set<JobEvent.Type> REPEATED =
      EnumSet.of(JobEvent.Type.TASK_PROGRESS, JobEvent.Type.METRICS);

  private static final String BEGIN = PlainText.EVENTS_MARK + " [";
  private static final String END = "]";

  private final PrintStream out;
  private final InstantSource clock;
  private final Pace oncePace = Pace.everySecond();
  private final Pace repeatedPace = Pace.forPrograms();

  /**
   * Pace of progress by the time of the events, so that events that arrive late, all at once, are
   * thinned out like others.
   */
  private final Pace progressPace = Pace.forPrograms();

  private final List<String> pendingJson = new ArrayList<>();
  private int pendingChars; // of pending events, including a comma each
  private boolean urgent;
  private JobEvent heldEvent; // follows the pending events, unless newer progress replaces it

  EventLines(PrintStream out, InstantSource clock) {
    this.out = out;
    this.clock = clock;
  }

  synchronized void add(JobEvent event) {
    boolean isProgress = event.type() == JobEvent.Type.TASK_PROGRESS;
    if (!isProgress || heldEvent == null || !event.task().equals(heldEvent.task())) {
      addHeldEvent();
    }
    heldEvent = event;
    if (!isProgress || progressPace.recordIfDue(event.time())) {
      addHeldEvent();
    }
  }

  private void addHeldEvent() {
    if (heldEvent == null) {
      return;
    }
    String json = withoutLinks(PlainText.ofJson(EventJson.write(heldEvent)));
    boolean happensOnce = !REPEATED.contains(heldEvent.type());
    heldEvent = null;
    if (BEGIN.length() + pendingChars + json.length() + END.length() > PlainText.MAX_LINE_CHARS) {
      printAll();
    }
    pendingJson.add(json);
    pendingChars += json.length() + 1;
    urgent |= happensOnce;
  }

  /**
   * Escapes the slashes of URLs. The result is equivalent JSON, because slashes occur only in
   * texts, and none follows a backslash.
   */
  private static String withoutLinks(String json) {
    return json.replace("://", ":\\/\\/");
  }

  /**
   * Prints the pending events if they are due; returns how long no event will be due if no new one
   * arrives, at most {@code maxWait}.
   */
  synchronized Duration printDue(Duration maxWait) {
    if (pendingJson.isEmpty() && heldEvent == null) {
      return maxWait;
    }
    Instant now = clock.instant();
    Duration remaining = (urgent ? oncePace : repeatedPace).remaining(now);
    if (remaining.isZero()) {
      printAll();
      return maxWait;
    }
    return Durations.shorter(remaining, maxWait);
  }

  /** Prints all pending events, for callers that may not call again. */
  synchronized void printAll() {
    addHeldEvent();
    if (pendingJson.isEmpty()) {
      return;
    }
    out.println(BEGIN + String.join(",", pendingJson) + END);
    pendingJson.clear();
    pendingChars = 0;
    urgent = false;
    Instant now = clock.instant();
    oncePace.record(now);
    repeatedPace.record(now);
  }
}
