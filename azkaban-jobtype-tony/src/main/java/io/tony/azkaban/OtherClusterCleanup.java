package io.tony.azkaban;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.log4j.Logger;

/**
 * Ends applications that earlier attempts of this job started on other clusters. This attempt's own
 * client looks for earlier applications only on its own cluster.
 */
final class OtherClusterCleanup {

  private static final String CONF_DIR = "HADOOP_CONF_DIR";

  private final AttemptNotes notes;
  private final StepCluster cluster;
  private final ClientSetup setup;
  private final Logger log;

  OtherClusterCleanup(AttemptNotes notes, StepCluster cluster, ClientSetup setup, Logger log) {
    this.notes = notes;
    this.cluster = cluster;
    this.setup = setup;
    this.log = log;
  }

  /**
   * Ends the applications that earlier attempts left on other clusters without knowing their
   * outcome ({@link AttemptNotes}). Deletes an application's note only when the application has
   * ended.
   *
   * @param job the properties in this attempt's job file
   * @param environment the variables that the job adds to the client's environment
   */
  void endEarlierAttempts(
      AttemptFiles files, Map<String, String> job, Map<String, String> environment)
      throws InterruptedException {
    try {
      for (AttemptNotes.Note note : notes.read()) {
        if (isThisCluster(note) || tryEnd(note, files, job, environment)) {
          notes.delete(note);
        }
      }
    } catch (IOException e) {
      log.warn("Whether an earlier attempt ran on another cluster is not known: " + e);
    }
  }

  private boolean isThisCluster(AttemptNotes.Note note) {
    return Objects.equals(note.environment().get(CONF_DIR), setup.environment().get(CONF_DIR));
  }

  private boolean tryEnd(
      AttemptNotes.Note note,
      AttemptFiles files,
      Map<String, String> job,
      Map<String, String> environment)
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
    if (environment.containsKey(RunAs.TOKENS)) {
      log.error("The tokens of this attempt are of its own cluster" + unknown);
      return false;
    }
    ProcessBuilder kill;
    try {
      kill = kill(note, files, job, environment);
    } catch (IOException e) {
      log.error("The kill could not be started (" + e.getMessage() + ")" + unknown);
      return false;
    }
    boolean ended =
        KillCommand.run(kill, "tony-kill-" + id, KillCommand.MAX_LIMIT_MILLIS, unknown, log);
    if (ended) {
      log.info(id + " has ended on " + where + ".");
    }
    return ended;
  }

  /**
   * Returns the command that ends the note's application on the note's cluster. Its job file is
   * this attempt's job file without the options that locate this attempt's cluster.
   */
  private ProcessBuilder kill(
      AttemptNotes.Note note,
      AttemptFiles files,
      Map<String, String> job,
      Map<String, String> environment)
      throws IOException {
    Map<String, String> otherJob = new HashMap<>(job);
    otherJob
        .keySet()
        .removeIf(key -> key.endsWith(".hdfs-conf-path") || key.endsWith(".yarn-conf-path"));
    return setup
        .withEnvironment(note.environment())
        .kill(note.applicationId(), files.writeOther(otherJob), files, environment)
        .redirectErrorStream(true);
  }

  /**
   * Saves a note about this attempt's application for the next attempt, if the outcome of the
   * application is unknown.
   *
   * @param status the status that this attempt's client wrote last
   */
  void saveNote(ClientStatus status) {
    Optional<String> application = status.applicationId();
    if (!application.isPresent() || status.isFinished()) {
      return;
    }
    try {
      notes.save(
          new AttemptNotes.Note(application.get(), cluster.name().orElse(""), setup.environment()));
    } catch (IOException e) {
      log.warn("A retry on another cluster will not know of " + application.get() + ": " + e);
    }
  }
}
