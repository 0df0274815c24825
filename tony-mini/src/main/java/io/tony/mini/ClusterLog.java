package io.tony.mini;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import org.apache.log4j.FileAppender;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.varia.NullAppender;

/**
 * Redirects everything that this JVM logs through log4j, which Hadoop uses, to one file. By
 * default, the log4j.properties in Hadoop's test jars would send it to the console. After {@link
 * #close}, log4j logs nothing.
 */
final class ClusterLog implements AutoCloseable {

  /**
   * Loggers of java.util.logging that would write to the console: Jersey logs each class that it
   * binds, and Guice logs that two servers share a JVM. This list keeps them referenced, because
   * java.util.logging forgets the level of a logger without references.
   */
  private static final List<java.util.logging.Logger> NOISY_LOGGERS =
      List.of(
          java.util.logging.Logger.getLogger("com.sun.jersey"),
          java.util.logging.Logger.getLogger("com.google.inject"));

  private final FileAppender appender;

  private ClusterLog(FileAppender appender) {
    this.appender = appender;
  }

  static ClusterLog open(Path file) throws IOException {
    LogManager.resetConfiguration();
    FileAppender appender =
        new FileAppender(new PatternLayout("%d{ISO8601} %-5p [%t] %c{1}: %m%n"), file.toString());
    Logger root = Logger.getRootLogger();
    root.setLevel(org.apache.log4j.Level.INFO);
    root.addAppender(appender);
    NOISY_LOGGERS.forEach(logger -> logger.setLevel(Level.SEVERE));
    return new ClusterLog(appender);
  }

  @Override
  public void close() {
    Logger root = Logger.getRootLogger();
    root.removeAppender(appender);
    appender.close();
    root.addAppender(new NullAppender());
  }
}
