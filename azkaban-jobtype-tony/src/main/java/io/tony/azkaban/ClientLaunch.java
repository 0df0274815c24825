package io.tony.azkaban;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What is needed to run commands of the client for one attempt of a job. */
final class ClientLaunch {
  private static final long LONGEST_STOP_MILLIS = 300_000;

  private final ClientSetup setup;
  private final Map<String, String> environment;
  private final AttemptFiles files;
  private volatile ClientStatus lastStatus = ClientStatus.NONE;

  ClientLaunch(ClientSetup setup, Map<String, String> environment, AttemptFiles files) {
    this.setup = setup;
    this.environment = environment;
    this.files = files;
  }

  ProcessBuilder submit() {
    return reporting("submit");
  }

  /** Of an application whose client has ended before it. */
  ProcessBuilder follow(String applicationId) {
    return reporting("follow", applicationId);
  }

  private ProcessBuilder reporting(String... command) {
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
    return setup.command(
        files.folder().toFile(),
        environment,
        Arrays.asList("kill", applicationId, "-job_file", files.job().toString()));
  }

  /** As it stands in the file, or as it last did where somebody has deleted that meanwhile. */
  ClientStatus status() {
    lastStatus = ClientStatus.read(files.status()).orElse(lastStatus);
    return lastStatus;
  }

  /** What the client asks for, to end the job in order; Azkaban does not wait for ever. */
  long stopLimitMillis(long otherwise) {
    return Math.min(status().stopLimitMillis().orElse(otherwise), LONGEST_STOP_MILLIS);
  }
}
