package io.tony.container;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * The command line of a JVM in a container. YARN hands it to a shell, inside double quotes:
 * whatever stands in it is made of plain characters only, and a user's values never do.
 */
public final class JvmCommand {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,+@%-]+");

  /** A small heap, few threads, and a fast start: both JVMs mostly wait. */
  private static final List<String> FIXED_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xshare:auto",
          // It stays so small: by itself it would be a third of the heap, all of which is touched.
          "-Xmn16m",
          // Below that of a JVM's own, Hadoop's classes alone make it collect all.
          "-XX:MetaspaceSize=64m",
          "-XX:-UsePerfData",
          // Beside what the launcher says: why a JVM does not start, in one file.
          "-XX:+DisplayVMOutputToStderr",
          // A process that is half dead would be waited for.
          "-XX:+ExitOnOutOfMemoryError",
          "-Dlog4j.configuration=tony-container-log4j.properties");

  private JvmCommand() {}

  /** The options of a blank-separated list that may not stand in a command line. */
  public static List<String> unsafeOptions(String options) {
    return split(options).stream().filter(option -> !PLAIN.matcher(option).matches()).toList();
  }

  /**
   * The command line that starts {@code main} without arguments.
   *
   * @param javaHome on the node, or relative to the container's folder; empty for the node's own
   * @param options blank-separated JVM options, checked by {@link #unsafeOptions}
   * @param log file in the container's log folder for the standard output
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
    // YARN shows the end of this file where a container fails: what a JVM says that does not start.
    command.add(
        "2>>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/" + JvmStartFailure.STDERR_FILE);
    return String.join(" ", command);
  }

  static List<String> split(String options) {
    return options.isBlank() ? List.of() : List.of(options.strip().split("\\s+"));
  }
}
