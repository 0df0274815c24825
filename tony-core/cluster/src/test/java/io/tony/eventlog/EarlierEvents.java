package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What earlier ApplicationMasters wrote, of short logs. */
final class EarlierEvents {
  private EarlierEvents() {}

  static List<JobEvent> of(EventLog log) throws IOException {
    List<JobEvent> events = new ArrayList<>();
    log.readEarlier(events::add);
    return events;
  }
}
