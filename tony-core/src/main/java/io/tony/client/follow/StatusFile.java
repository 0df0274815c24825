package io.tony.client.follow;

import io.tony.model.JobResult;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the process that started this client reads of it: {@code application.id}, {@code state},
 * {@code progress} (0 to 1) and {@code message}, a properties file that is replaced as a whole.
 * Without a file it does nothing.
 */
public final class StatusFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatusFile.class);

  private final Path file;
  private final Properties values = new Properties();

  /** {@code file} may be null. */
  public StatusFile(Path file) {
    this.file = file;
  }

  public void application(String id) {
    write("application.id", id);
  }

  public void state(String state) {
    write("state", state);
  }

  void progress(double fraction) {
    write("progress", Double.toString(fraction));
  }

  /** The result in one sentence. */
  void message(String message) {
    write("message", message);
  }

  public void ended(JobResult result) {
    state(result.status().name());
    message(result.message());
    if (result.status() == JobResult.Status.SUCCEEDED) {
      progress(1);
    }
  }

  private synchronized void write(String key, String value) {
    values.setProperty(key, value);
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
