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
 * The lines of a job's log that programs such as its page read: {@code tony-events [{…},{…}]}, the
 * events in their order. There is one line a second at most, but for what no line has room for.
 * What happens once is told by the next; what comes again and again waits the longer the older the
 * job is. Nothing is told unless somebody asks for it: the lines for people come first. An address
 * in an event is written {@code http:\/\/…}, which is the same in JSON: Azkaban's log tab would
 * make a link of it, with the rest of the line up to the next blank. For use by several threads.
 */
final class EventLines {
  /** What says the same again, only newer. */
  private static final Set<JobEvent.Type> REPEATED =
      EnumSet.of(JobEvent.Type.TASK_PROGRESS, JobEvent.Type.METRICS);

  private static final String BEGIN = PlainText.EVENTS_MARK + " [";
  private static final String END = "]";

  private final PrintStream out;
  private final InstantSource clock;
  private final Pace oncePace = Pace.everySecond();
  private final Pace repeatedPace = Pace.forPrograms();

  /** By the time of the events: one that is told late, all at once, is told as the others are. */
  private final Pace progressPace = Pace.forPrograms();

  private final List<String> pendingJson = new ArrayList<>();
  private int pendingChars; // of what waits, with a comma each
  private boolean urgent;
  private JobEvent heldEvent; // waits after those, unless a later progress takes its place

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

  /** The same JSON: it has slashes in its texts only, and none of these follows a backslash. */
  private static String withoutLinks(String json) {
    return json.replace("://", ":\\/\\/");
  }

  /**
   * Tells what is due now; returns how long nothing is, if nothing happens, {@code most} at most.
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

  /** Tells all that waits, where nobody may come to ask for it later. */
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
