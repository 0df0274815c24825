package io.tony.azkaban;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What is needed to run commands of the client for one attempt of a job. */
final class ClientLaunch {
  private final ClientSetup setup;
  private final Map<String, String> environment;
  private final AttemptFiles files;
  private volatile ClientStatus lastStatus = ClientStatus.NONE;

  /** {@code job} is what stands in the client's job file, {@code environment} what it adds. */
  ClientLaunch(
      ClientSetup setup,
      Map<String, String> job,
      Map<String, String> environment,
      AttemptFiles files) {
    this.setup = setup.withJvmArgs(labels(job));
    this.environment = environment;
    this.files = files;
  }

  /** Those with which Azkaban marks the processes of its own Java job types, for {@code ps}. */
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

  /** Of an application whose client has ended before it. */
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

  /** As it stands in the file, or as it last did where somebody has deleted that meanwhile. */
  ClientStatus status() {
    lastStatus = ClientStatus.read(files.status()).orElse(lastStatus);
    return lastStatus;
  }

  /** What the client asks for, to end the job in order; Azkaban does not wait for ever. */
  long stopLimitMillis(long defaultMillis) {
    return Math.min(status().stopLimitMillis().orElse(defaultMillis), KillCommand.MAX_LIMIT_MILLIS);
  }
}
