package io.tony.eventlog;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * A folder or file of another user was found where the event log of a job is expected. The log is
 * neither read nor written. The message is a sentence for display that names the file, both users
 * and the remedy.
 */
public final class ForeignLogException extends IOException {
  private static final long serialVersionUID = 1;

  private static final String REMEDY =
      "Have an administrator remove it, or give it back to its user after a restore, and let each"
          + " user have a history folder of their own (tony.history.location, docs/history.md)";

  private ForeignLogException(String message) {
    super(message);
  }

  private ForeignLogException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns the exception for a folder or file that is to be read and does not belong to {@code
   * user}, the user of the job.
   */
  static ForeignLogException forReader(FileStatus entry, String user) {
    return new ForeignLogException(
        "%s belongs to %s and not to %s, whose job it would describe, so it is not read. %s"
            .formatted(entry.getPath(), entry.getOwner(), user, REMEDY));
  }

  /**
   * Returns the exception for the folder of a log that {@code user} cannot write, because it
   * belongs to {@code owner}.
   */
  static ForeignLogException forWriter(Path folder, String owner, String user, Throwable cause) {
    return new ForeignLogException(
        "the event log of this job cannot be kept: %s belongs to %s and not to %s. %s"
            .formatted(folder, owner, user, REMEDY),
        cause);
  }

  /**
   * Returns the exception for the folder of a log that {@code user} cannot create, because the
   * folder {@code path} above it, which belongs to {@code owner}, denies access.
   */
  static ForeignLogException forParentFolder(
      Path path, String owner, String user, Throwable cause) {
    return new ForeignLogException(
        ("the event log of this job cannot be kept: %s may not write in %s, which belongs to %s."
                + " Have it permitted, or set tony.history.location to a folder of the user's own"
                + " (docs/history.md)")
            .formatted(user, path, owner),
        cause);
  }
}
