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
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to a job's log as machine-readable lines, for example for the job's page. A line is
 * {@code tony-events [{…},{…}]}, in the order of the events. There is at most one line per second,
 * unless the events do not fit into one line. The intervals between lines that contain only
 * repeated events (progress, metrics) increase with the age of the job. Lines are written only when
 * a caller requests that, so that the lines for users can be printed before. Thread-safe.
 *
 * <p>URLs in events are written as {@code http:\/\/…}, which is equivalent in JSON. Otherwise
 * Azkaban's log tab would make a link of the URL and the text up to the next blank.
 */
final class EventLines {
  /** Types of events that recur during a job, so that a line that contains only these can wait. */
  private static final Set<JobEvent.Type> REPEATED =
      EnumSet.of(JobEvent.Type.TASK_PROGRESS, JobEvent.Type.METRICS);

  private static final String BEGIN = PlainText.EVENTS_MARK + " [";
  private static final String END = "]";

  private final PrintStream out;
  private final InstantSource clock;
  private final Pace oncePace = Pace.everySecond();
  private final Pace repeatedPace = Pace.forPrograms();

  /**
   * Pace of progress events, by the time in the events. Thus, events that arrive late and all at
   * once are thinned out, too.
   */
  private final Pace progressPace = Pace.forPrograms();

  private final List<String> pendingJson = new ArrayList<>();
  private int pendingChars; // number of characters of the pending events, with a comma for each
  private boolean urgent;
  // Last progress event that was not due yet; replaced if the next event is progress of the same
  // task, otherwise added to the pending events before that event. Null if there is none.
  private @Nullable JobEvent heldEvent;

  EventLines(PrintStream out, InstantSource clock) {
    this.out = out;
    this.clock = clock;
  }

  synchronized void add(JobEvent event) {
    boolean isProgress = event.type() == JobEvent.Type.TASK_PROGRESS;
    if (!isProgress || heldEvent == null || !Objects.equals(event.task(), heldEvent.task())) {
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
   * Escapes the slashes of URLs. The result is equivalent JSON, because slashes occur only in JSON
   * strings, never after a backslash.
   */
  private static String withoutLinks(String json) {
    return json.replace("://", ":\\/\\/");
  }

  /**
   * Prints the pending events if they are due. Returns the time until pending events are due, but
   * at most {@code maxWait}; {@code maxWait} if no events are pending any more.
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

  /** Prints all pending events now, even if they are not due yet. */
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
