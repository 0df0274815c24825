package io.tony.executor.program;

import io.tony.executor.bridge.HadoopClassPath;
import io.tony.executor.settings.ExecutorLog;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The environment variables that libhdfs needs. libhdfs is Hadoop's library for programs in other
 * languages: pyarrow loads it, and it runs Hadoop's client in a JVM inside the program's process.
 */
final class HadoopEnvironment {
  private static final ExecutorLog LOG = new ExecutorLog(HadoopEnvironment.class);

  /** Variable with Hadoop's jars and configuration. YARN sets it, and TonY's jar comes first. */
  static final String CLASS_PATH = "CLASSPATH";

  /** Variable that tells pyarrow the folder of {@code libhdfs.so}. */
  static final String LIBHDFS_FOLDER = "ARROW_LIBHDFS_DIR";

  /** Variable with the options of the JVM that libhdfs creates. */
  static final String LIBHDFS_JVM_OPTIONS = "LIBHDFS_OPTS";

  /** Variable that tells pyarrow where to find {@code libjvm.so}. */
  static final String JAVA_HOME = "JAVA_HOME";

  /**
   * -Xrs: without it, the JVM replaces the program's own handlers of SIGTERM, SIGINT and SIGHUP,
   * and a program that writes a checkpoint at SIGTERM would end without one. The others: a JVM's
   * default heap may grow to a quarter of the node's memory, for which YARN ends the container.
   */
  private static final String JVM_OPTIONS = "-Xrs -Xmx512m -XX:+UseSerialGC";

  /** Variables with the folder of a Hadoop installation, which a node passes to containers. */
  private static final List<String> HADOOP_HOMES =
      List.of("HADOOP_HOME", "HADOOP_COMMON_HOME", "HADOOP_HDFS_HOME");

  /**
   * Maximum length of a variable's name, value and the {@code =} between them: Linux's
   * MAX_ARG_STRLEN, of which one byte is the end.
   */
  static final int MAX_VARIABLE_BYTES = 128 * 1024 - 1;

  private HadoopEnvironment() {}

  /**
   * Returns the variables to add for a program.
   *
   * @param container the container's environment; of its variables, only {@link #CLASS_PATH} is
   *     replaced
   */
  static Map<String, String> of(Map<String, String> container) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(JAVA_HOME, System.getProperty("java.home"));
    variables.put(LIBHDFS_JVM_OPTIONS, JVM_OPTIONS);
    for (String home : HADOOP_HOMES) {
      Path folder = Path.of(container.getOrDefault(home, "")).resolve("lib/native");
      if (folder.isAbsolute() && Files.exists(folder.resolve("libhdfs.so"))) {
        variables.putIfAbsent(LIBHDFS_FOLDER, folder.toString());
      }
    }
    variables.keySet().removeAll(container.keySet());
    variables.putAll(classPath(container));
    return variables;
  }

  /**
   * Returns {@link #CLASS_PATH} with each jar by its name: a JVM that is not started by the command
   * {@code java} does not expand {@code *}, and an older libhdfs does not either. Returns nothing
   * if that would be longer than a variable may be.
   */
  private static Map<String, String> classPath(Map<String, String> container) {
    String jars =
        HadoopClassPath.of(container.get(CLASS_PATH)).files().stream()
            .map(File::getPath)
            .collect(Collectors.joining(File.pathSeparator));
    int length = (CLASS_PATH + "=" + jars).getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_VARIABLE_BYTES) {
      LOG.warn(
          "CLASSPATH keeps its *, because with each jar by its name it would have "
              + length
              + " bytes, and Linux allows "
              + MAX_VARIABLE_BYTES);
      return Map.of();
    }
    return jars.isEmpty() ? Map.of() : Map.of(CLASS_PATH, jars);
  }
}
