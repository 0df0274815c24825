package io.tony.azkaban;

import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * Passes only warnings and errors on to another logger. It is not registered with log4j, so it can
 * be garbage-collected when its job has ended.
 */
final class WarningsLogger extends Logger {

  WarningsLogger(Logger to) {
    super(to.getName());
    repository = to.getLoggerRepository();
    parent = to;
    level = Level.WARN;
  }
}
