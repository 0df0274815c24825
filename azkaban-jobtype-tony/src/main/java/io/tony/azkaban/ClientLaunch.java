package io.tony.azkaban;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Builds the client's commands for one attempt of a job, and reads the client's status. */
final class ClientLaunch {
  private final ClientSetup setup;
  private final Map<String, String> environment;
  private final AttemptFiles files;
  private volatile ClientStatus lastStatus = ClientStatus.NONE;

  /**
   * Creates the commands' common part.
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
   * JVM options with which Azkaban labels the processes of its own Java job types, visible in
   * {@code ps}.
   */
  private static List<String> labels(Map<String, String> job) {
    List<String> labels = new ArrayList<>();
    addLabel("azkaban.flowid", job.get("azkaban.flow.flowid"), labels);
    addLabel("azkaban.execid", job.get("azkaban.flow.execid"), labels);
    addLabel("azkaban.jobid", job.get(PassedProperties.JOB_ID), labels);
    return labels;
  }

  private static void addLabel(String name, String value, List<String> labels) {
    if (value != null) {
      labels.add("-D" + name + "=" + value.replaceAll("\\p{Cntrl}", " "));
    }
  }

  ProcessBuilder submit() {
    return trackedCommand("submit");
  }

  /** Returns the command that follows an application whose previous client has ended. */
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
   * Returns the client's latest status; if the file was deleted in the meantime, the status that
   * was read last.
   */
  ClientStatus status() {
    lastStatus = ClientStatus.read(files.status()).orElse(lastStatus);
    return lastStatus;
  }

  /**
   * How long the client may take to stop the job, in milliseconds: the client's own limit, else
   * {@code defaultMillis}, but never more than Azkaban waits for.
   */
  long stopLimitMillis(long defaultMillis) {
    return Math.min(status().stopLimitMillis().orElse(defaultMillis), KillCommand.MAX_LIMIT_MILLIS);
  }
}
