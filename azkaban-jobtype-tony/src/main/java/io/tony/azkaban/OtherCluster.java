package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/**
 * Looks after the application of an earlier attempt that ran on another cluster than this attempt.
 * The client of this attempt looks for applications on its own cluster only.
 */
final class OtherCluster {

  /** For a JVM to start, ask YARN and wait for the end of the application. */
  private static final long KILL_LIMIT_MILLIS = 60_000;

  private static final String CONF_DIR = "HADOOP_CONF_DIR";

  private final AttemptNotes notes;
  private final StepCluster cluster;
  private final ClientSetup setup;
  private final Logger log;

  OtherCluster(AttemptNotes notes, StepCluster cluster, ClientSetup setup, Logger log) {
    this.notes = notes;
    this.cluster = cluster;
    this.setup = setup;
    this.log = log;
  }

  /**
   * Ends the application of the attempt before this one, where that ended without knowing how the
   * application did and ran on another cluster.
   *
   * @param environment what the job adds to the client's environment
   */
  void endEarlier(AttemptFiles files, Map<String, String> environment) throws InterruptedException {
    Optional<AttemptNotes.Note> note;
    try {
      note = notes.take();
    } catch (NoSuchFileException | DirectoryNotEmptyException e) {
      return; // another job of this Azkaban was quicker
    } catch (IOException e) {
      log.warn("Whether an earlier attempt ran on another cluster is not known: " + e);
      return;
    }
    if (note.isPresent() && !isHere(note.get())) {
      end(note.get(), files, environment);
    }
  }

  private boolean isHere(AttemptNotes.Note note) {
    return Objects.equals(note.environment().get(CONF_DIR), setup.environment().get(CONF_DIR));
  }

  private void end(AttemptNotes.Note note, AttemptFiles files, Map<String, String> environment)
      throws InterruptedException {
    String id = note.applicationId();
    String confDir = note.environment().get(CONF_DIR);
    String where = note.cluster().isEmpty() ? confDir : note.cluster() + " (" + confDir + ")";
    log.info(
        "An earlier attempt started "
            + id
            + " on another cluster, "
            + where
            + ": it is ended there, and this attempt starts anew.");
    String unknown =
        ": whether "
            + id
            + " still runs on "
            + where
            + " is unknown. To end it: HADOOP_CONF_DIR="
            + confDir
            + " yarn application -kill "
            + id;
    try {
      Process process =
          setup
              .on(note.environment())
              .kill(id, files, environment)
              .redirectErrorStream(true)
              .start();
      process.getOutputStream().close();
      ClientLog output = ClientLog.follow(process, "tony-kill-" + id, log::info);
      if (!process.waitFor(KILL_LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        log.error("The kill did not end in " + KILL_LIMIT_MILLIS + " ms" + unknown);
      } else if (process.exitValue() != 0) {
        log.error("The kill failed with exit code " + process.exitValue() + unknown);
      } else {
        log.info(id + " has ended on " + where + ".");
      }
      output.finish();
    } catch (IOException e) {
      log.error("The kill could not be started (" + e.getMessage() + ")" + unknown);
    }
  }

  /** Leaves a note to the next attempt, where this one does not know how its application did. */
  void remember(ClientStatus status) {
    Optional<String> application = status.applicationId();
    if (!application.isPresent() || status.isOver()) {
      return;
    }
    try {
      notes.leave(
          new AttemptNotes.Note(application.get(), cluster.name().orElse(""), setup.environment()));
    } catch (IOException e) {
      log.warn("A retry on another cluster will not know of " + application.get() + ": " + e);
    }
  }
}
