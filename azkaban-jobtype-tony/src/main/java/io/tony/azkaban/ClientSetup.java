package io.tony.azkaban;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * All that is the same for every client JVM of this installation: its Java and its environment, in
 * which the class path is. {@link SetupCheck} makes it from the administrator's settings.
 */
final class ClientSetup {

  private static final String MAIN_CLASS = "io.tony.client.TonyCli";

  /** By it a client sees that this process has died, also before the client was up. */
  private static final String STARTER = "TONY_STARTER";

  private final File java;
  private final List<String> jvmArgs;
  private final Map<String, String> environment;

  ClientSetup(File java, List<String> jvmArgs, Map<String, String> environment) {
    this.java = java;
    this.jvmArgs = jvmArgs;
    this.environment = environment;
  }

  /** The folder of the cluster's configuration files. */
  File hadoopConf() {
    return new File(environment.get("HADOOP_CONF_DIR"));
  }

  /** The same with further options of the JVM. */
  ClientSetup withJvmArgs(List<String> more) {
    List<String> all = new ArrayList<>(jvmArgs);
    all.addAll(more);
    return new ClientSetup(java, all, environment);
  }

  /** Where the cluster and Hadoop's jars are, in the names of Hadoop's and Java's variables. */
  Map<String, String> environment() {
    return environment;
  }

  /** The same Java for the client of another cluster. */
  ClientSetup withEnvironment(Map<String, String> otherEnvironment) {
    return new ClientSetup(java, jvmArgs, otherEnvironment);
  }

  /** A client that ends one application. */
  ProcessBuilder kill(
      String applicationId, Path jobFile, AttemptFiles files, Map<String, String> jobEnvironment) {
    return command(
        files.folder().toFile(),
        jobEnvironment,
        Arrays.asList("kill", applicationId, "-job_file", jobFile.toString()));
  }

  /**
   * A child JVM that runs one command of the client. Its output is one stream, so that the lines of
   * its two streams keep their order in the log.
   *
   * @param jobEnvironment what the job adds; it never replaces what the installation says
   */
  ProcessBuilder command(
      File workingDirectory, Map<String, String> jobEnvironment, List<String> arguments) {
    List<String> argv = new ArrayList<>();
    argv.add(java.getPath());
    argv.addAll(jvmArgs);
    argv.add(MAIN_CLASS);
    argv.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(argv);
    builder.directory(workingDirectory).redirectErrorStream(true);
    builder.environment().putAll(jobEnvironment);
    builder.environment().putAll(environment);
    builder.environment().put(STARTER, ownPid());
    return builder;
  }

  /** Empty where the machine does not say; the client then asks for its parent when it is up. */
  private static String ownPid() {
    try {
      return Paths.get("/proc/self").toRealPath().getFileName().toString();
    } catch (IOException e) {
      return "";
    }
  }
}
