package io.tony.container;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * Builds the command line of a JVM in a container. YARN passes the command line to a shell inside
 * double quotes, so it contains plain characters only and never a user's values.
 */
public final class JvmCommand {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,+@%-]+");

  /**
   * Options for a small heap, few threads and a fast start: the ApplicationMaster and the executors
   * mostly wait.
   */
  private static final List<String> FIXED_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xshare:auto",
          // Fixed young generation. The default is a third of the heap, all of which becomes
          // resident.
          "-Xmn16m",
          // With the JVM's lower default, loading Hadoop's classes already triggers a full
          // collection.
          "-XX:MetaspaceSize=64m",
          "-XX:-UsePerfData",
          // Write the JVM's own errors to stderr, which also has the launcher's errors.
          "-XX:+DisplayVMOutputToStderr",
          // Otherwise a JVM that has lost threads would hang instead of failing.
          "-XX:+ExitOnOutOfMemoryError",
          "-Dlog4j.configuration=tony-container-log4j.properties");

  private JvmCommand() {}

  /** Returns the options of a blank-separated list that are not safe in a command line. */
  public static List<String> unsafeOptions(String options) {
    return split(options).stream().filter(option -> !PLAIN.matcher(option).matches()).toList();
  }

  /**
   * Returns the command line that starts {@code main} without arguments.
   *
   * @param javaHome path on the node, or relative to the container's working directory; empty for
   *     the node's own Java
   * @param heapMiB maximum heap in MiB
   * @param options blank-separated JVM options, checked by {@link #unsafeOptions}
   * @param log name of the file in the container's log folder for standard output
   */
  public static String of(
      String javaHome, long heapMiB, String options, Class<?> main, String log) {
    List<String> command = new ArrayList<>();
    command.add("exec");
    command.add((javaHome.isEmpty() ? Environment.JAVA_HOME.$$() : javaHome) + "/bin/java");
    command.add("-Xmx" + heapMiB + "m");
    command.addAll(FIXED_OPTIONS);
    command.addAll(split(options));
    command.add(main.getName());
    command.add("1>>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/" + log);
    // YARN's diagnostics of a failed container include the end of this file, such as a JVM's reason
    // not to start.
    command.add(
        "2>>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/" + JvmStartFailure.STDERR_FILE);
    return String.join(" ", command);
  }

  static List<String> split(String options) {
    return options.isBlank() ? List.of() : List.of(options.strip().split("\\s+"));
  }
}
