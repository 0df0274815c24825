package io.tony.client.follow;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** What a program reads in a job's log. */
public final class EventReplay {
  private static final String MARK = "tony-events ";

  /** Within a text, each quote has a backslash before it. */
  private static final Pattern BETWEEN = Pattern.compile("(?<=}),(?=\\{\"v\":1,)");

  private EventReplay() {}

  public static boolean isIn(String line) {
    return line.startsWith(MARK);
  }

  public static List<JobEvent> of(List<String> log) {
    return log.stream().filter(EventReplay::isIn).flatMap(line -> in(line).stream()).toList();
  }

  /** The events of one line. */
  public static List<JobEvent> in(String line) {
    String array = line.substring(MARK.length() + 1, line.length() - 1);
    return Arrays.stream(BETWEEN.split(array)).map(EventReplay::read).toList();
  }

  private static JobEvent read(String json) {
    try {
      return EventJson.read(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
