package io.tony.client.application;

import io.tony.config.TonyConfig;
import io.tony.container.HistoryLocation;
import io.tony.event.Fact;
import io.tony.eventlog.EventConsumer;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.LogTail;
import io.tony.eventlog.OwnerCheckedFileSystem;
import io.tony.model.JobEvent;
import io.tony.timeline.Timeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads event logs of applications. Each log is in the home folder of the application's owner,
 * unless another history folder is configured.
 */
public final class EventLogReader {
  private static final Logger LOG = LoggerFactory.getLogger(EventLogReader.class);

  private final Configuration conf;
  private final TonyConfig config;

  public EventLogReader(Configuration conf, TonyConfig config) {
    this.conf = conf;
    this.config = config;
  }

  /**
   * Returns the folder of the application's event log. The current user may lack the permission to
   * read the folder, for example because it is in the owner's home.
   */
  public Path folder(ApplicationId application, String owner) throws IOException {
    return EventLog.folder(
        HistoryLocation.of(FileSystem.get(conf), config, owner), application.toString());
  }

  private OwnerCheckedFileSystem logs(String owner) throws IOException {
    return new OwnerCheckedFileSystem(FileSystem.get(conf), owner);
  }

  /**
   * Reads the events of a running or ended application one by one, without those that this version
   * does not understand. Reads nothing if there is no event log.
   */
  public void read(ApplicationId application, String owner, EventConsumer events)
      throws IOException {
    read(
        application,
        owner,
        0,
        event -> {
          if (isUnderstood(event)) {
            events.take(event);
          }
        });
  }

  /**
   * Reads the events of a running or ended application one by one, including those that this
   * version does not understand.
   *
   * @param from number of events to skip at the beginning
   * @return the number of events in the event log, including those skipped
   */
  public long read(ApplicationId application, String owner, long from, EventConsumer events)
      throws IOException {
    return EventLog.read(logs(owner), folder(application, owner), from, events);
  }

  /** Returns a reader of the event log's lines, which can also read lines that are added later. */
  public LogTail tail(ApplicationId application, String owner) throws IOException {
    return new LogTail(logs(owner), folder(application, owner));
  }

  /**
   * Returns only the events from which a timeline is built. They are a small part of a long event
   * log.
   */
  public List<JobEvent> timelineEvents(ApplicationId application, String owner) throws IOException {
    List<JobEvent> events = new ArrayList<>();
    Predicate<JobEvent> wanted = Timeline.relevantEvents();
    read(
        application,
        owner,
        0,
        event -> {
          if (wanted.test(event)) {
            events.add(event);
          }
        });
    return events;
  }

  private static boolean isUnderstood(JobEvent event) {
    try {
      return Fact.of(event).isPresent();
    } catch (IllegalArgumentException e) {
      LOG.warn("An event is passed over: {}", e.getMessage());
      return false;
    }
  }
}
