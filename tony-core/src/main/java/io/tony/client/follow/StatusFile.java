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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the process that started this client reads of it: {@code application.id}, {@code state},
 * {@code progress} (0 to 1), {@code message}, {@code ending.id} and {@code stop.limit.ms}, a
 * properties file that is replaced as a whole. Without a file it does nothing.
 */
public final class StatusFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatusFile.class);

  /** What the end of a job takes at most beyond its tasks' grace, where the cluster answers. */
  private static final Duration STOP_MARGIN = Duration.ofSeconds(30);

  private final Path file;
  private final Properties values = new Properties();

  /** {@code file} may be null. */
  public StatusFile(Path file) {
    this.file = file;
  }

  public synchronized void setApplication(String id) {
    clear(); // of another one
    write("application.id", id);
  }

  /** An earlier one, which this client ends before it submits its own. */
  public void setEndingApplication(String id) {
    write("ending.id", id);
  }

  /** That one has ended. */
  public synchronized void recordEnd() {
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
   * Tells how long this client may take, when it is told to, to end the job in order; nothing as
   * long as there is no application.
   *
   * @param stopGrace what the job's tasks have after SIGTERM
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

  /** The result in one sentence. */
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
      // Whoever wanted to know is gone, with the folder. The job is not.
      LOG.warn("The status file cannot be written: {}", e.toString());
    }
  }
}
