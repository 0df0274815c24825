package io.tony.client.follow;

import io.tony.client.output.PlainText;
import io.tony.model.JobResult;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the state of the job to a properties file, for the process that started this client. Keys:
 * {@code application.id}, {@code state}, {@code progress} (0 to 1), {@code message}, {@code
 * ending.id} (an earlier application that this client is killing) and {@code stop.limit.ms}. The
 * file is replaced atomically. If no path was given, nothing is written. Failures are only logged.
 */
public final class StatusFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatusFile.class);

  /**
   * Maximum time that it takes to end a job, in addition to the stop grace of its tasks, if the
   * cluster answers.
   */
  private static final Duration STOP_MARGIN = Duration.ofSeconds(30);

  private final @Nullable Path file;
  private final Properties values = new Properties();

  /**
   * Creates the writer of a status file. The file itself is not written before a value other than
   * the stop grace is set.
   *
   * @param file path of the file; null for none
   */
  public StatusFile(@Nullable Path file) {
    this.file = file;
  }

  public synchronized void setApplication(String id) {
    clear(); // remove the values of an earlier application
    write("application.id", id);
  }

  /**
   * Sets the id of an earlier application, which this client kills before it submits its own
   * application.
   */
  public void setEndingApplication(String id) {
    write("ending.id", id);
  }

  /**
   * Removes what the file contains about the application given to {@link #setEndingApplication},
   * which has ended.
   */
  public synchronized void removeEndedApplication() {
    clear();
    write();
  }

  private void clear() {
    values
        .keySet()
        .removeAll(Set.of("application.id", "ending.id", "state", "progress", "message"));
  }

  public void setState(String state) {
    write("state", state);
  }

  /**
   * Sets the maximum time that this client needs to end the job gracefully. If the file was not
   * written yet, the time is only written together with the next value.
   *
   * @param stopGrace time between SIGTERM and SIGKILL of the job's tasks
   */
  public synchronized void setStopGrace(Duration stopGrace) {
    boolean first = values.isEmpty();
    values.setProperty("stop.limit.ms", Long.toString(stopGrace.plus(STOP_MARGIN).toMillis()));
    if (!first) {
      write();
    }
  }

  void setProgress(double fraction) {
    write("progress", Double.toString(fraction));
  }

  /** Sets the message of the job's result; its line breaks are replaced by blanks. */
  void setMessage(String message) {
    write("message", PlainText.inOneLine(message));
  }

  public void recordEnd(JobResult result) {
    setState(result.status().name());
    setMessage(result.message());
    if (result.status() == JobResult.Status.SUCCEEDED) {
      setProgress(1);
    }
  }

  private synchronized void write(String key, String value) {
    values.setProperty(key, value);
    write();
  }

  private void write() {
    if (file == null) {
      return;
    }
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      try (Writer writer = Files.newBufferedWriter(next, StandardCharsets.UTF_8)) {
        values.store(writer, null);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      // The process that started this client may be gone, and the folder deleted; the job
      // continues.
      LOG.warn("The status file cannot be written: {}", e.toString());
    }
  }
}
