package io.tony.timeline.draw;

import io.tony.timeline.PreciseDuration;
import io.tony.timeline.Timeline;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What the heading of a timeline shows besides the timeline's own data.
 *
 * @param application ID of the application
 * @param name name of the job; may be empty
 * @param queue name of the YARN queue; may be empty
 */
public record Heading(String application, String name, String queue) {
  String title() {
    return name.isEmpty() ? application : name;
  }

  /** Returns the application ID, unless the ID is already the title, and the queue; for display. */
  String origin() {
    return (name.isEmpty() ? "" : application) + (queue.isEmpty() ? "" : ", queue " + queue);
  }

  /** Returns the job's result or state, its duration and its begin, as a text for display. */
  static String outcome(Timeline timeline) {
    Instant begin = timeline.begin().truncatedTo(ChronoUnit.SECONDS);
    return state(timeline) + ", " + PreciseDuration.format(timeline.duration()) + " from " + begin;
  }

  private static String state(Timeline timeline) {
    if (timeline.result() != null) {
      return timeline.result().status().name();
    }
    return timeline.running() ? "NOT ENDED" : "NO END RECORDED";
  }
}
