package io.tony.azkaban.mini;

import azkaban.utils.JSONUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An event of a training, as its job's log tells it to programs in lines that begin with {@code
 * tony-events}.
 *
 * @param task {@code role:index}; null for an event of the whole job
 */
record ToldEvent(String type, int session, String task, Map<?, ?> details) {
  private static final String MARK = "tony-events ";

  /** Those of one line, none for a line that people read. */
  static Stream<ToldEvent> of(String line) {
    if (!line.startsWith(MARK)) {
      return Stream.empty();
    }
    try {
      List<?> events = (List<?>) JSONUtils.parseJSONFromString(line.substring(MARK.length()));
      return events.stream().map(event -> of((Map<?, ?>) event));
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }

  private static ToldEvent of(Map<?, ?> event) {
    return new ToldEvent(
        (String) event.get("type"),
        ((Number) event.get("session")).intValue(),
        (String) event.get("task"),
        (Map<?, ?>) event.get("details"));
  }

  /** The named value, or the empty string. */
  String detail(String name) {
    Object value = details.get(name);
    return value == null ? "" : value.toString();
  }

  long number(String name) {
    return Long.parseLong(detail(name));
  }
}
