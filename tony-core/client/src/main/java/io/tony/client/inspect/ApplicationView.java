package io.tony.client.inspect;

import io.tony.client.application.EventLogReader;
import io.tony.client.application.LogLinks;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.InvalidJobException;
import io.tony.config.TonyConfig;
import io.tony.eventlog.EventConsumer;
import io.tony.eventlog.LogTail;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/** A running or ended application that a command shows: YARN's report and the event log. */
public final class ApplicationView {
  private final Configuration conf;
  private final YarnClient yarn;
  private final EventLogReader history;
  private final RunningApplication application;

  private ApplicationView(
      Configuration conf, YarnClient yarn, EventLogReader history, RunningApplication application) {
    this.conf = conf;
    this.yarn = yarn;
    this.history = history;
    this.application = application;
  }

  /**
   * Returns the application with this id. The configuration determines the folder of event logs.
   */
  public static ApplicationView of(
      Configuration conf, YarnClient yarn, TonyConfig config, String id)
      throws InvalidJobException, IOException {
    return new ApplicationView(
        conf,
        yarn,
        new EventLogReader(conf, config),
        RunningApplication.of(conf, yarn, config, parseId(id)));
  }

  public RunningApplication application() {
    return application;
  }

  /** Returns YARN's report; null if YARN no longer knows the application. */
  public @Nullable ApplicationReport findReport() throws IOException, YarnException {
    try {
      return application.report();
    } catch (ApplicationNotFoundException e) {
      return null;
    }
  }

  boolean hasEnded() throws IOException, YarnException {
    ApplicationReport report = findReport();
    return report == null || RunningApplication.hasEnded(report);
  }

  String owner() throws IOException, YarnException {
    return owner(findReport());
  }

  /**
   * Returns the owner of the application; the current user if YARN no longer knows the application.
   *
   * @param report YARN's report; null if YARN no longer knows the application
   */
  static String owner(@Nullable ApplicationReport report) throws IOException {
    return report != null
        ? report.getUser()
        : UserGroupInformation.getCurrentUser().getShortUserName();
  }

  /**
   * Reads the events in the application's event log that this version understands; none if there is
   * no event log.
   */
  void read(String owner, EventConsumer events) throws IOException {
    history.read(application.id(), owner, events);
  }

  LogTail tail(String owner) throws IOException {
    return history.tail(application.id(), owner);
  }

  TaskLogs taskLogs(String owner) {
    return new TaskLogs(conf, yarn, application.id(), owner);
  }

  LogLinks links() {
    return new LogLinks(conf, application.id());
  }

  InvalidJobException unknownApplication(String owner) throws IOException {
    return new InvalidJobException(
        List.of(
            "YARN does not know "
                + application.id()
                + ", or "
                + history.folder(application.id(), owner)
                + " has no event log of it: see whether the id is right; where the log is"
                + " elsewhere, name its folder with -conf tony.history.location=FOLDER"));
  }

  /** Returns the sentence that no task is known, and where this was looked up. */
  String noTaskMessage(String owner) throws IOException {
    return "no task of "
        + application.id()
        + " has had a container, as "
        + history.folder(application.id(), owner)
        + " says; where the job's event log is elsewhere, name its folder with"
        + " -conf tony.history.location=FOLDER";
  }

  InvalidJobException unknownTask(String owner) throws IOException {
    return new InvalidJobException(
        List.of(
            "no such task of "
                + application.id()
                + " is recorded in "
                + history.folder(application.id(), owner)));
  }

  /**
   * Parses an application id such as {@code application_1700000000000_0001}.
   *
   * @throws InvalidJobException if {@code text} is not an application id
   */
  public static ApplicationId parseId(String text) throws InvalidJobException {
    try {
      return ApplicationId.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidJobException(
          List.of(
              "'"
                  + text
                  + "' is not an application id: it looks like application_1700000000000_0001"));
    }
  }
}
