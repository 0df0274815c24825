package io.tony.client.submit;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.Following;
import io.tony.client.follow.JobLog;
import io.tony.client.follow.Narrator;
import io.tony.client.follow.OutputProperties;
import io.tony.client.follow.Refusal;
import io.tony.client.follow.RunningApplication;
import io.tony.client.follow.StartLimit;
import io.tony.client.follow.StatusFile;
import io.tony.client.login.Login;
import io.tony.client.source.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobResult;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** An application that was submitted, by this client or another one, followed to its end. */
final class FollowedApplication {
  private final Configuration conf;
  private final Login login;
  private final JobFolder folder;
  private final TonyConfig config;
  private final RunningApplication application;
  private final Reports reports;
  private final JobLog out;
  private final StatusFile status;
  private final Narrator narrator;

  FollowedApplication(
      Configuration conf,
      Login login,
      JobFolder folder,
      TonyConfig config,
      RunningApplication application,
      Reports reports,
      JobLog out,
      StatusFile status,
      Narrator narrator) {
    this.conf = conf;
    this.login = login;
    this.folder = folder;
    this.config = config;
    this.application = application;
    this.reports = reports;
    this.out = out;
    this.status = status;
    this.narrator = narrator;
  }

  /**
   * Follows it. What goes wrong with this client from here on says nothing of the job.
   *
   * @param startLimit when an application that does not start is given up
   * @param cancelled whether this client was told to end it
   */
  ExitCode toTheEnd(StartLimit startLimit, BooleanSupplier cancelled) throws InterruptedException {
    boolean ended = false;
    TokenRenewal.Ending renewal = TokenRenewal.begin(conf, login, folder, config, application, out);
    try {
      ExitCode code = follow(startLimit, cancelled);
      ended = !cancelled.getAsBoolean(); // whoever ends it may still call YARN
      return code;
    } catch (IOException | YarnException | RuntimeException | Error e) {
      out.tellAll();
      out.println(
          "whether "
              + application.id()
              + " has ended is not known to this client: "
              + Refusal.sentence(e));
      return ExitCode.END_UNKNOWN;
    } finally {
      renewal.end(ended);
    }
  }

  private ExitCode follow(StartLimit startLimit, BooleanSupplier cancelled)
      throws IOException, YarnException, InterruptedException {
    Following following = new Following(conf, config, application, out, status, narrator);
    JobResult result = following.toTheEnd(startLimit);
    if (result.status() == JobResult.Status.KILLED && !cancelled.getAsBoolean()) {
      application.awaitEnd(); // whoever stopped the job has YARN kill it in a moment
    }
    status.ended(result);
    try {
      try {
        if (reports.outputFile() != null) {
          publish(result, following);
        }
      } finally {
        following.tell(result);
      }
    } catch (IOException | YarnException | RuntimeException | Error e) {
      // The job has ended as it has, whether or not all can be told of it.
      out.println("warning: not all is told of this end: " + Refusal.sentence(e));
    }
    return cancelled.getAsBoolean() ? ExitCode.TERMINATED : ExitCode.of(result);
  }

  private void publish(JobResult result, Following following) throws IOException, YarnException {
    String id = application.id().toString();
    OutputProperties properties =
        OutputProperties.of(
            id,
            application.report().getTrackingUrl(),
            result,
            following.story(),
            Checkpoints.folder(FileSystem.get(conf), config, id),
            JobSpecReader.draft(config, new Problems()).chief());
    config
        .find(AzkabanOptions.JOB)
        .map(properties::alsoOf)
        .orElse(properties)
        .write(reports.outputFile());
    if (following.outputsLeftOut() > 0) {
      out.println(
          "warning: the outputs of "
              + following.outputsLeftOut()
              + " tasks are left out: those of all tasks together would have more than "
              + Following.MAX_OUTPUTS
              + " characters. Put what is large into files of the cluster, and their paths into"
              + " TONY_OUTPUT_FILE");
    }
    if (!properties.leftOut().isEmpty()) {
      out.println(
          "warning: "
              + properties.leftOut()
              + " of this job's outputs are left out: later steps would not see them as they are,"
              + " because Azkaban evaluates ${ and $(");
    }
  }
}
