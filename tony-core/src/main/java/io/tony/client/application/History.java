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

/** The event logs of applications, wherever the home of their owner has them. */
public final class History {
  private static final Logger LOG = LoggerFactory.getLogger(History.class);

  private final Configuration conf;
  private final TonyConfig config;

  public History(Configuration conf, TonyConfig config) {
    this.conf = conf;
    this.config = config;
  }

  /** In the home of the application's owner, which this user may not be allowed to read. */
  public Path folder(ApplicationId application, String owner) throws IOException {
    return EventLog.folder(
        HistoryLocation.of(FileSystem.get(conf), config, owner), application.toString());
  }

  private OwnerCheckedFileSystem logs(String owner) throws IOException {
    return new OwnerCheckedFileSystem(FileSystem.get(conf), owner);
  }

  /**
   * Gives what is there of an application, running or ended, one by one, as far as this version
   * understands it; nothing where there is no log.
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
   * Gives what is there of an application one by one, with what this version does not understand.
   *
   * @param from how many events at the beginning are not wanted
   * @return how many events there are, those not wanted included
   */
  public long read(ApplicationId application, String owner, long from, EventConsumer events)
      throws IOException {
    return EventLog.read(logs(owner), folder(application, owner), from, events);
  }

  /** The same as lines, as it grows. */
  public LogTail tail(ApplicationId application, String owner) throws IOException {
    return new LogTail(logs(owner), folder(application, owner));
  }

  /** What a timeline is made of, as it was written: a small part of a long log. */
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
