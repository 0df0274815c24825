package io.tony.azkaban;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds the commands that run TonY's client for one attempt of a job, and reads the client's
 * status file.
 */
final class ClientLaunch {
  private final ClientSetup setup;
  private final Map<String, String> environment;
  private final AttemptFiles files;
  private volatile ClientStatus lastStatus = ClientStatus.NONE;

  /**
   * Creates the builder of an attempt's commands.
   *
   * @param job the properties in the client's job file
   * @param environment the variables that the job adds to the client's environment
   */
  ClientLaunch(
      ClientSetup setup,
      Map<String, String> job,
      Map<String, String> environment,
      AttemptFiles files) {
    this.setup = setup.withJvmArgs(labels(job));
    this.environment = environment;
    this.files = files;
  }

  /**
   * Returns the JVM options by which {@code ps} shows a client's job. Azkaban's own Java job types
   * have the same ones.
   */
  private static List<String> labels(Map<String, String> job) {
    List<String> labels = new ArrayList<>();
    addLabel("azkaban.flowid", job.get("azkaban.flow.flowid"), labels);
    addLabel("azkaban.execid", job.get("azkaban.flow.execid"), labels);
    addLabel("azkaban.jobid", job.get(PassedProperties.JOB_ID), labels);
    return labels;
  }

  private static void addLabel(String name, @Nullable String value, List<String> labels) {
    if (value != null) {
      labels.add("-D" + name + "=" + value.replaceAll("\\p{Cntrl}", " "));
    }
  }

  ProcessBuilder submit() {
    return trackedCommand("submit");
  }

  /**
   * Returns the command of a client that follows an application that an earlier client submitted.
   */
  ProcessBuilder follow(String applicationId) {
    return trackedCommand("follow", applicationId);
  }

  private ProcessBuilder trackedCommand(String... command) {
    List<String> arguments = new ArrayList<>(Arrays.asList(command));
    arguments.addAll(
        Arrays.asList(
            "-job_file",
            files.job().toString(),
            "-status_file",
            files.status().toString(),
            "-output_file",
            files.output().toString(),
            "-events"));
    return setup.command(files.folder().toFile(), environment, arguments);
  }

  ProcessBuilder kill(String applicationId) {
    return setup.kill(applicationId, files.job(), files, environment);
  }

  /**
   * Reads the client's status. If the status file is missing or unreadable, returns the status that
   * was read last.
   */
  ClientStatus status() {
    lastStatus = ClientStatus.read(files.status()).orElse(lastStatus);
    return lastStatus;
  }

  /**
   * Returns how long the client may take to stop the job, in milliseconds: the limit that the
   * client reports, or {@code defaultMillis} if it reports none; at most {@link
   * KillCommand#MAX_LIMIT_MILLIS}.
   */
  long stopLimitMillis(long defaultMillis) {
    return Math.min(status().stopLimitMillis().orElse(defaultMillis), KillCommand.MAX_LIMIT_MILLIS);
  }
}
