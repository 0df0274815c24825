package io.tony.client.submit;

import io.tony.client.application.ExitCode;
import io.tony.client.application.HadoopErrors;
import io.tony.client.application.RunningApplication;
import io.tony.client.follow.ApplicationFollower;
import io.tony.client.follow.OutputProperties;
import io.tony.client.follow.StartLimit;
import io.tony.client.follow.StatusFile;
import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.narrate.Narrator;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Follows an application to its end, and reports its result. The application may have been
 * submitted by another client.
 */
final class SubmittedApplication {
  private final Configuration conf;
  private final Login login;
  private final JobFolder folder;
  private final TonyConfig config;
  private final RunningApplication application;
  private final ReportTargets targets;
  private final JobLog out;
  private final StatusFile status;
  private final Narrator narrator;

  SubmittedApplication(
      Configuration conf,
      Login login,
      JobFolder folder,
      TonyConfig config,
      RunningApplication application,
      ReportTargets targets,
      JobLog out,
      StatusFile status,
      Narrator narrator) {
    this.conf = conf;
    this.login = login;
    this.folder = folder;
    this.config = config;
    this.application = application;
    this.targets = targets;
    this.out = out;
    this.status = status;
    this.narrator = narrator;
  }

  /**
   * Follows the application and returns the exit code of the job. If following fails, returns
   * {@link ExitCode#END_UNKNOWN} instead of throwing, because the job may still succeed.
   *
   * @param startLimit how long the application may take to start before this client kills it
   * @param cancelled returns true once this client was asked to end the application
   */
  ExitCode followToEnd(StartLimit startLimit, BooleanSupplier cancelled)
      throws InterruptedException {
    boolean ended = false;
    TokenRenewal.RenewalHandle renewal =
        TokenRenewal.start(conf, login, folder, config, application, out);
    try {
      ExitCode code = follow(startLimit, cancelled);
      // After a cancel, the cancelling thread may still call YARN, so keep the tokens.
      ended = !cancelled.getAsBoolean();
      return code;
    } catch (IOException | YarnException | RuntimeException | Error e) {
      out.flushEvents();
      out.println(
          "whether "
              + application.id()
              + " has ended is not known to this client: "
              + HadoopErrors.sentence(e));
      return ExitCode.END_UNKNOWN;
    } finally {
      renewal.stop(ended);
    }
  }

  private ExitCode follow(StartLimit startLimit, BooleanSupplier cancelled)
      throws IOException, YarnException, InterruptedException {
    ApplicationFollower follower =
        new ApplicationFollower(conf, config, application, out, status, narrator);
    JobResult result = follower.followToEnd(startLimit);
    if (result.status() == JobResult.Status.KILLED && !cancelled.getAsBoolean()) {
      // Another client stopped the job, and is about to have YARN kill the application: wait for
      // that, so that YARN shows it as ended when this client exits.
      application.awaitEnd();
    }
    status.recordEnd(result);
    try {
      try {
        Path outputFile = targets.outputFile();
        if (outputFile != null) {
          publish(outputFile, result, follower);
        }
      } finally {
        follower.printResult(result);
      }
    } catch (IOException | YarnException | RuntimeException | Error e) {
      // The result of the job does not change if it cannot be reported completely.
      out.println(
          "warning: not everything about this end was reported: " + HadoopErrors.sentence(e));
    }
    return cancelled.getAsBoolean() ? ExitCode.TERMINATED : ExitCode.of(result);
  }

  private void publish(Path outputFile, JobResult result, ApplicationFollower follower)
      throws IOException, YarnException {
    String id = application.id().toString();
    OutputProperties properties =
        OutputProperties.of(
            id,
            application.report().getTrackingUrl(),
            result,
            follower.jobView(),
            CheckpointLocation.uri(FileSystem.get(conf), config, id),
            JobSpecReader.readLeniently(config, new Problems()).chief());
    config
        .find(AzkabanOptions.JOB)
        .map(properties::withStepNames)
        .orElse(properties)
        .write(outputFile);
    if (follower.omittedOutputCount() > 0) {
      out.println(
          "warning: the outputs of "
              + follower.omittedOutputCount()
              + " tasks are left out: those of all tasks together would have more than "
              + ApplicationFollower.MAX_OUTPUT_CHARS
              + " characters. Put what is large into files of the cluster, and their paths into"
              + " TONY_OUTPUT_FILE");
    }
    if (!properties.omittedNames().isEmpty()) {
      out.println(
          "warning: "
              + properties.omittedNames()
              + " of this job's outputs are left out: later steps would not see them as they are,"
              + " because Azkaban evaluates ${ and $(");
    }
  }
}
