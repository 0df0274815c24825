package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a job's events to one file, in order, by a thread of its own: appending never waits for
 * the file system. What has come together is flushed to the data nodes at once, so that a reader
 * and a restarted ApplicationMaster see it.
 */
public final class EventLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
  private static final String END = "";
  private static final long CLOSE_LIMIT_MS = 10_000;
  private static final FsPermission FOLDER = new FsPermission((short) 0750);
  private static final FsPermission FILE = new FsPermission((short) 0640);

  private final FSDataOutputStream out;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Thread writer = new Thread(this::drain, "event-log");

  private EventLog(FSDataOutputStream out) {
    this.out = out;
    writer.setDaemon(true);
    writer.start();
  }

  /** Starts the log at a file that does not exist yet; its folder is made where it is missing. */
  public static EventLog create(FileSystem fs, Path file) throws IOException {
    FileSystem.mkdirs(fs, file.getParent(), FOLDER);
    // A failed program's last lines are in it: for the owner and the owner's group.
    return new EventLog(fs.createFile(file).overwrite(false).permission(FILE).build());
  }

  /** The file of an application's events below the history folder. */
  public static Path file(Path history, String application) {
    return new Path(new Path(history, application), "events.jsonl");
  }

  /** All events of a log, finished or not. A last line that is cut short is left out. */
  public static List<JobEvent> read(FileSystem fs, Path file) throws IOException {
    List<JobEvent> events = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(fs.open(file), StandardCharsets.UTF_8))) {
      String line = in.readLine();
      while (line != null) {
        String next = in.readLine();
        read(line, next == null).ifPresent(events::add);
        line = next;
      }
    }
    return events;
  }

  private static Optional<JobEvent> read(String line, boolean last) throws IOException {
    try {
      return Optional.of(EventJson.read(line));
    } catch (IOException e) {
      if (last) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Appends a line of {@link EventJson}. Returns at once. */
  public void append(String line) {
    lines.add(line);
  }

  private void drain() {
    List<String> batch = new ArrayList<>();
    try {
      do {
        batch.clear();
        batch.add(lines.take());
        lines.drainTo(batch);
        for (String line : batch) {
          if (!line.equals(END)) {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
          }
        }
        out.hflush();
      } while (!batch.contains(END));
      out.close();
    } catch (IOException | RuntimeException e) {
      // The job is worth more than its history: it goes on, and says so.
      LOG.error("The event log cannot be written; the history of this job is incomplete", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns when all that was appended is in the file, and the file is closed; or after 10 s, when
   * the file system does not take it.
   */
  @Override
  public void close() {
    lines.add(END);
    try {
      writer.join(CLOSE_LIMIT_MS);
      if (writer.isAlive()) {
        LOG.error("The event log is not written after {} ms; the job ends without", CLOSE_LIMIT_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
