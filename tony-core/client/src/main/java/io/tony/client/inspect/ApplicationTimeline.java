package io.tony.client.inspect;

import io.tony.client.application.EventLogReader;
import io.tony.client.application.ExitCode;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.model.JobEvent;
import io.tony.timeline.Timeline;
import io.tony.timeline.YarnTimes;
import io.tony.timeline.draw.Heading;
import io.tony.timeline.draw.TimelineJson;
import io.tony.timeline.draw.TimelineSvg;
import io.tony.timeline.draw.TimelineText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * Shows how an application spent its time, for {@code tony timeline}. The times come from the event
 * log; the times before the event log begins and after it ends come from YARN, unless YARN no
 * longer knows the application.
 */
public final class ApplicationTimeline {
  private final YarnClient yarn;
  private final EventLogReader history;
  private final ApplicationId application;

  public ApplicationTimeline(
      Configuration conf, YarnClient yarn, TonyConfig config, ApplicationId application) {
    this.yarn = yarn;
    this.history = new EventLogReader(conf, config);
    this.application = application;
  }

  /**
   * Prints the timeline as text or JSON, or draws it in a file.
   *
   * @param json whether to print JSON instead of text
   * @param picture path of the SVG file that is written instead of the text; null for none
   */
  public ExitCode print(boolean json, @Nullable String picture, JobLog out)
      throws InvalidJobException, IOException, YarnException {
    Path file = picture == null ? null : path(picture);
    ApplicationReport report = report();
    String owner =
        report == null
            ? UserGroupInformation.getCurrentUser().getShortUserName()
            : report.getUser();
    List<JobEvent> events = history.timelineEvents(application, owner);
    if (events.isEmpty() && report == null) {
      throw new InvalidJobException(
          List.of(
              "YARN does not know "
                  + application
                  + ", and "
                  + history.folder(application, owner)
                  + " has no event log of it: see whether the id is right. Of an application that"
                  + " YARN has forgotten, only its owner is shown the log; where it is elsewhere,"
                  + " name its folder with -conf tony.history.location=FOLDER"));
    }
    Timeline timeline = Timeline.of(events, yarnTimes(report));
    Heading heading =
        new Heading(
            application.toString(),
            report == null ? "" : report.getName(),
            report == null ? "" : report.getQueue());
    if (json) {
      out.raw().write((TimelineJson.of(timeline, heading) + "\n").getBytes(StandardCharsets.UTF_8));
    } else if (file == null) {
      TimelineText.of(timeline, heading).forEach(out::println);
      if (events.isEmpty()) {
        out.println(
            "note: "
                + history.folder(application, owner)
                + " has no event log of it: its ApplicationMaster has not come up, or the log was"
                + " deleted, or is elsewhere (-conf tony.history.location=FOLDER)");
      }
    }
    if (file != null) {
      write(file, TimelineSvg.of(timeline, heading));
      if (!json) {
        out.println("The timeline of " + application + " is drawn in " + file);
      }
    }
    return ExitCode.SUCCEEDED;
  }

  /** Returns YARN's report; null if YARN no longer knows the application. */
  private @Nullable ApplicationReport report() throws IOException, YarnException {
    try {
      return yarn.getApplicationReport(application);
    } catch (ApplicationNotFoundException e) {
      return null;
    }
  }

  private static YarnTimes yarnTimes(@Nullable ApplicationReport report) {
    return report == null
        ? YarnTimes.UNKNOWN
        : new YarnTimes(
            time(report.getStartTime()),
            time(report.getLaunchTime()),
            RunningApplication.hasEnded(report) ? time(report.getFinishTime()) : null,
            RunningApplication.hasEnded(report) ? null : Instant.now());
  }

  /**
   * Converts milliseconds since the epoch; returns null for 0, which YARN reports for what has not
   * happened.
   */
  private static @Nullable Instant time(long millis) {
    return millis <= 0 ? null : Instant.ofEpochMilli(millis);
  }

  private static Path path(String picture) throws InvalidJobException {
    try {
      return Path.of(picture).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new InvalidJobException(List.of("-svg takes a file: " + e.getMessage()));
    }
  }

  private static void write(Path file, String picture) throws InvalidJobException {
    try {
      Files.writeString(file, picture, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new InvalidJobException(
          List.of(
              "the timeline cannot be written to "
                  + file
                  + " ("
                  + e
                  + "): name a file of a folder that is there and that you may write to"));
    }
  }
}
