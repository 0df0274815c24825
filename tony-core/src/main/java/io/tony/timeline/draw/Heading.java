package io.tony.timeline.draw;

import io.tony.timeline.Lengths;
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
    String state = timeline.result() == null ? "NO END TOLD" : timeline.result().status().name();
    Instant begin = timeline.begin().truncatedTo(ChronoUnit.SECONDS);
    return state + ", " + Lengths.text(timeline.duration()) + " from " + begin;
  }
}
