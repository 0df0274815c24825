package io.tony.timeline.draw;

import io.tony.timeline.DurationText;
import io.tony.timeline.Timeline;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What stands above a timeline.
 *
 * @param application its id
 * @param name what its user calls it; may be empty
 * @param queue may be empty
 */
public record Heading(String application, String name, String queue) {
  String title() {
    return name.isEmpty() ? application : name;
  }

  /** Its id and queue, where the title does not say them. */
  String origin() {
    return (name.isEmpty() ? "" : application) + (queue.isEmpty() ? "" : ", queue " + queue);
  }

  /** How it ended, or that it has not. */
  static String outcome(Timeline timeline) {
    Instant begin = timeline.begin().truncatedTo(ChronoUnit.SECONDS);
    return state(timeline) + ", " + DurationText.format(timeline.duration()) + " from " + begin;
  }

  private static String state(Timeline timeline) {
    if (timeline.result() != null) {
      return timeline.result().status().name();
    }
    return timeline.running() ? "NOT ENDED" : "NO END RECORDED";
  }
}
