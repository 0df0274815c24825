package io.tony.azkaban;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What all client JVMs of one cluster have in common: the Java executable, JVM options, and the
 * environment, which includes the class path. {@link SetupCheck} creates it from the
 * administrator's settings.
 */
final class ClientSetup {

  private static final String MAIN_CLASS = "io.tony.client.TonyCli";

  /**
   * Environment variable of the client with the process id of this JVM. With it, the client detects
   * that this JVM has ended, even if this JVM ended while the client was still starting.
   */
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
    return new File(Objects.requireNonNull(environment.get("HADOOP_CONF_DIR")));
  }

  /** Returns a copy with additional JVM options. */
  ClientSetup withJvmArgs(List<String> more) {
    List<String> all = new ArrayList<>(jvmArgs);
    all.addAll(more);
    return new ClientSetup(java, all, environment);
  }

  /**
   * Returns the environment variables with the paths of the cluster's configuration and of Hadoop's
   * jars. Their names are those that Hadoop and Java use.
   */
  Map<String, String> environment() {
    return environment;
  }

  /**
   * Returns a copy for another cluster: with the same Java and JVM options, but this environment.
   */
  ClientSetup withEnvironment(Map<String, String> otherEnvironment) {
    return new ClientSetup(java, jvmArgs, otherEnvironment);
  }

  /**
   * Returns the command of a client that ends one application.
   *
   * @param jobFile the job file that the client reads
   * @param jobEnvironment variables that the job adds; they never replace variables of this setup
   */
  ProcessBuilder kill(
      String applicationId, Path jobFile, AttemptFiles files, Map<String, String> jobEnvironment) {
    return command(
        files.folder().toFile(),
        jobEnvironment,
        Arrays.asList("kill", applicationId, "-job_file", jobFile.toString()));
  }

  /**
   * Returns the command that runs TonY's client in a new JVM. Standard output and standard error
   * are merged into one stream, so that their lines keep their order in the log.
   *
   * @param jobEnvironment variables that the job adds; they never replace variables of this setup
   * @param arguments the client's command line
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

  /**
   * Returns the process id of this JVM. Empty if it is unknown; then the client determines its
   * parent process itself.
   */
  private static String ownPid() {
    try {
      return Paths.get("/proc/self").toRealPath().getFileName().toString();
    } catch (IOException e) {
      return "";
    }
  }
}
