package io.tony.hadoop.versions;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The jars that a test runs on: those of the Hadoop under test, and TonY's as they were built. */
final class HadoopJars {

  /** Of the Hadoop under test, such as 3.3.6. */
  static final String VERSION = property("hadoop.version");

  private HadoopJars() {}

  /** The folder with all that a mini cluster needs. */
  static Path folder() {
    return Path.of(property("hadoop.jars"));
  }

  /**
   * Absolute paths, joined with ':', as {@code hadoop classpath} would say them: without Hadoop's
   * test jars, which bring a log4j.properties of their own.
   */
  static String classPath() throws IOException {
    try (Stream<Path> jars = Files.list(folder())) {
      return jars.map(Path::toString)
          .filter(jar -> jar.endsWith(".jar") && !jar.endsWith("-tests.jar"))
          .sorted()
          .collect(Collectors.joining(File.pathSeparator));
    }
  }

  /** The jar of TonY that a class is in. */
  static Path of(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String property(String name) {
    String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(name + " is not set; Maven's verify phase sets it");
    }
    return value;
  }
}
