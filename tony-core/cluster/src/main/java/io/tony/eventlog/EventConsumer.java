package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.IOException;

/** Receives the events of a log one by one, in order. */
@FunctionalInterface
public interface EventConsumer {
  void take(JobEvent event) throws IOException;
}
