package io.tony.azkaban;

import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * Passes warnings and errors on to another logger, and nothing else. It is not registered under its
 * name, so that it ends with its job.
 */
final class WarningsLogger extends Logger {

  WarningsLogger(Logger to) {
    super(to.getName());
    repository = to.getLoggerRepository();
    parent = to;
    level = Level.WARN;
  }
}
