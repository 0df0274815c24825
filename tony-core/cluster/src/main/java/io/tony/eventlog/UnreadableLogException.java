package io.tony.eventlog;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/**
 * Thrown if an event log exceeds limits that no ApplicationMaster exceeds, so that reading on could
 * exhaust the reader's memory. The message names the position and the limit. A retry does not help.
 */
public final class UnreadableLogException extends IOException {
  private static final long serialVersionUID = 1;

  private UnreadableLogException(String message) {
    super(message);
  }

  static UnreadableLogException ofLine(Path file, long offset, int maxBytes) {
    return new UnreadableLogException(
        "the line at byte %d of %s is longer than %d MiB: no ApplicationMaster wrote it"
            .formatted(offset, file, maxBytes >> 20));
  }

  static UnreadableLogException ofDecision(Path file, long offset, int maxSize, int maxLines) {
    return new UnreadableLogException(
        ("the decision at byte %d of %s is longer than %d MiB or %d lines: no ApplicationMaster"
                + " wrote it")
            .formatted(offset, file, maxSize >> 20, maxLines));
  }

  static UnreadableLogException ofEntries(Path folder, int maxEntries) {
    return new UnreadableLogException(
        "%s holds more than %d files: no ApplicationMaster made them"
            .formatted(folder, maxEntries));
  }

  static UnreadableLogException ofFiles(Path folder, int maxFiles) {
    return new UnreadableLogException(
        "%s holds more than %d files of a log: no ApplicationMaster wrote them"
            .formatted(folder, maxFiles));
  }
}
