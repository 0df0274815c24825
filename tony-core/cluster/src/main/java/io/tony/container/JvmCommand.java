package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * Builds the command line of a JVM in a container. YARN writes the command line into a shell
 * script, so JVM options and a Java home that a user sets must first be checked by {@link
 * #unsafeOptions}.
 */
public final class JvmCommand {
  /**
   * Name of the file in a container's log folder with the error output of the container's JVM and
   * shell.
   */
  public static final String STDERR_FILE = "stderr";

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,+@%-]+");

  /**
   * Options for a small heap, few threads and a fast start: the ApplicationMaster and the executors
   * wait most of the time.
   */
  private static final List<String> FIXED_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xshare:auto",
          // Fixed size of the young generation. By default it is a third of the heap, and all of it
          // becomes resident.
          "-Xmn16m",
          // Avoids a full collection at the start: with the JVM's lower default, loading Hadoop's
          // classes triggers one.
          "-XX:MetaspaceSize=64m",
          "-XX:-UsePerfData",
          // The JVM's own errors go to stderr, where the shell's errors are, too.
          "-XX:+DisplayVMOutputToStderr",
          // Without this option, a JVM whose threads died from an OutOfMemoryError would hang
          // instead of failing.
          "-XX:+ExitOnOutOfMemoryError",
          "-Dlog4j.configuration=tony-container-log4j.properties");

  /**
   * Shell command that starts the Java in {@link Staging#JAVA}: in the archive's top folder or, if
   * the archive has none, at its root, which is also the path in the shell's message if there is no
   * Java. The container's process and the programs that it starts get that Java as {@code
   * JAVA_HOME} if the node's own is missing. YARN puts the command line between double quotes and
   * has a second shell run it, so the backslashes are for the first shell.
   */
  private static final String EXEC_ARCHIVED_JAVA =
      "for home in %1$s/* %1$s; do test -x \\\"\\$home/bin/java\\\" && break; done;"
              .formatted(Staging.JAVA)
          + " test -n \\\"\\$JAVA_HOME\\\" -a -x \\\"\\$JAVA_HOME/bin/java\\\" || export JAVA_HOME=\\\"\\$PWD/\\$home\\\";"
          + " exec \\\"\\$PWD/\\$home/bin/java\\\"";

  private JvmCommand() {}

  /**
   * Returns those parts of a blank-separated text that must not be in a shell's command line; empty
   * if all are safe.
   */
  public static List<String> unsafeOptions(String options) {
    return split(options).stream().filter(option -> !PLAIN.matcher(option).matches()).toList();
  }

  /**
   * Returns the command line that runs the class {@code main} without arguments, on the job's Java
   * or, if the job names none, on the node's own.
   *
   * @param config the job's options, whose Java home was checked by {@link #unsafeOptions}
   * @param heapMiB maximum heap in MiB
   * @param options blank-separated JVM options, already checked by {@link #unsafeOptions}
   * @param log name of the file for standard output, in the container's log folder
   */
  public static String of(
      TonyConfig config, long heapMiB, String options, Class<?> main, String log) {
    List<String> command = new ArrayList<>();
    command.add(execJava(config));
    command.add("-Xmx" + heapMiB + "m");
    command.addAll(FIXED_OPTIONS);
    command.addAll(split(options));
    command.add(main.getName());
    command.add("1>>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/" + log);
    // YARN's diagnostics of a failed container include the end of this file, for example why the
    // JVM did not start.
    command.add("2>>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/" + STDERR_FILE);
    return String.join(" ", command);
  }

  private static String execJava(TonyConfig config) {
    return config.find(TaskOptions.JAVA_ARCHIVE).isPresent()
        ? EXEC_ARCHIVED_JAVA
        : "exec "
            + config.find(TaskOptions.JAVA_HOME).orElseGet(() -> Environment.JAVA_HOME.$$())
            + "/bin/java";
  }

  static List<String> split(String options) {
    return options.isBlank() ? List.of() : List.of(options.strip().split("\\s+"));
  }
}
