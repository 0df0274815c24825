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

/** Reads the event logs of applications from the home folder of each application's owner. */
public final class EventLogReader {
  private static final Logger LOG = LoggerFactory.getLogger(EventLogReader.class);

  private final Configuration conf;
  private final TonyConfig config;

  public EventLogReader(Configuration conf, TonyConfig config) {
    this.conf = conf;
    this.config = config;
  }

  /**
   * Returns the folder of the application's event log. It is in the owner's home, which this user
   * may not be allowed to read.
   */
  public Path folder(ApplicationId application, String owner) throws IOException {
    return EventLog.folder(
        HistoryLocation.of(FileSystem.get(conf), config, owner), application.toString());
  }

  private OwnerCheckedFileSystem logs(String owner) throws IOException {
    return new OwnerCheckedFileSystem(FileSystem.get(conf), owner);
  }

  /**
   * Reads the events of a running or ended application one by one, without the events that this
   * version does not understand. Reads nothing if there is no log.
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
   * Reads the events of an application one by one, including those that this version does not
   * understand.
   *
   * @param from number of events to skip at the beginning
   * @return the number of events in the log, including those skipped
   */
  public long read(ApplicationId application, String owner, long from, EventConsumer events)
      throws IOException {
    return EventLog.read(logs(owner), folder(application, owner), from, events);
  }

  /** Returns a reader of the log's lines that can follow the log while it grows. */
  public LogTail tail(ApplicationId application, String owner) throws IOException {
    return new LogTail(logs(owner), folder(application, owner));
  }

  /** Returns the events from which a timeline is built: a small part of a long log. */
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
