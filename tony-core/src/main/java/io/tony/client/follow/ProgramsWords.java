package io.tony.client.follow;

import io.tony.model.JobEvent;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keeps what the programs of a job have left, the ends of their stderr and their outputs, from
 * filling its log: ten thousand tasks that fail have much to say, and nobody reads the log of the
 * last of them for that. The event log has all of it.
 */
final class ProgramsWords {
  /** Characters of all events of a job. */
  static final int MOST = 1024 * 1024;

  private int told;

  /** The event, without what a program left when too much of that was told before. */
  JobEvent within(JobEvent event) {
    Map<String, String> rest = new LinkedHashMap<>(event.details());
    rest.keySet().removeIf(name -> name.equals("stderr") || name.startsWith("output."));
    if (rest.size() == event.details().size()) {
      return event;
    }
    int words = characters(event.details()) - characters(rest);
    if (told + words > MOST) {
      return new JobEvent(event.time(), event.type(), event.session(), event.task(), rest);
    }
    told += words;
    return event;
  }

  private static int characters(Map<String, String> details) {
    return details.entrySet().stream()
        .mapToInt(detail -> detail.getKey().length() + detail.getValue().length())
        .sum();
  }
}
