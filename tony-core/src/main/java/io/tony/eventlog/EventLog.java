package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job's events in order, in one folder with a file for each ApplicationMaster that it had. This
 * one's is written by a thread of its own: appending never waits for the file system. What has come
 * together is flushed to the data nodes at once, and told to a listener only then: what anybody has
 * been told of, a later ApplicationMaster finds.
 */
public final class EventLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final FsPermission FOLDER = new FsPermission((short) 0750);
  private static final FsPermission FILE = new FsPermission((short) 0640);

  private final FSDataOutputStream out;
  private final List<String> earlier;
  private final Duration closeLimit;
  private final Thread writer = new Thread(this::drain, "event-log");

  /** Either a line or what is to follow the lines before it; the other is null. */
  private record Entry(String line, Runnable step) {}

  /** Appended, and not told or done yet. */
  private final List<Entry> entries = new ArrayList<>();

  private Consumer<List<String>> listener;
  private boolean closing;
  private boolean broken;

  private EventLog(FSDataOutputStream out, List<String> earlier, Duration closeLimit) {
    this.out = out;
    this.earlier = earlier;
    this.closeLimit = closeLimit;
    writer.setDaemon(true);
  }

  /**
   * Opens the log for one ApplicationMaster, whose file must not exist yet. The folder is made
   * where it is missing.
   *
   * @param attempt of the ApplicationMaster, from 1
   */
  public static EventLog create(FileSystem fs, Path folder, int attempt) throws IOException {
    return create(fs, folder, attempt, CLOSE_LIMIT);
  }

  /** The same with the time that closing may take. */
  static EventLog create(FileSystem fs, Path folder, int attempt, Duration closeLimit)
      throws IOException {
    FileSystem.mkdirs(fs, folder, FOLDER);
    List<String> earlier = new ArrayList<>();
    for (LogFile file : LogFile.in(fs, folder)) {
      if (file.attempt() < attempt) {
        earlier.addAll(file.lines(fs));
      }
    }
    Path file = LogFile.path(folder, attempt);
    // A failed program's last lines are in it: for the owner and the owner's group.
    FSDataOutputStream out = fs.createFile(file).overwrite(false).permission(FILE).build();
    return new EventLog(out, List.copyOf(earlier), closeLimit);
  }

  /** The folder of an application's events below the history folder. */
  public static Path folder(Path history, String application) {
    return new Path(history, application);
  }

  /**
   * All events of an application, finished or not; none where there is no log. A line that an
   * ApplicationMaster did not live to complete is left out.
   */
  public static List<JobEvent> read(FileSystem fs, Path folder) throws IOException {
    List<JobEvent> events = new ArrayList<>();
    for (LogFile file : LogFile.in(fs, folder)) {
      for (String line : file.lines(fs)) {
        events.add(EventJson.read(line));
      }
    }
    return events;
  }

  /** What earlier ApplicationMasters of this job wrote. */
  public List<JobEvent> earlier() throws IOException {
    List<JobEvent> events = new ArrayList<>();
    for (String line : earlier) {
      events.add(EventJson.read(line));
    }
    return events;
  }

  /**
   * Begins to write. The listener is given what was written earlier, and then, by the writing
   * thread, what is written from now on. When the file system fails it is given all the same.
   */
  public void start(Consumer<List<String>> toldOfLines) {
    toldOfLines.accept(earlier);
    listener = toldOfLines;
    writer.start();
  }

  /** Appends a line of {@link EventJson}. Returns at once. */
  public synchronized void append(String line) {
    entries.add(new Entry(line, null));
    notifyAll();
  }

  /**
   * Does something, by the writing thread, once all that was appended before is in the file: what
   * follows from a fact must not be known to anybody when the fact is lost. Where the file cannot
   * be written it is done all the same.
   */
  public synchronized void afterwards(Runnable step) {
    entries.add(new Entry(null, step));
    notifyAll();
  }

  private void drain() {
    try {
      for (List<Entry> batch = next(); !batch.isEmpty(); batch = next()) {
        write(batch);
        settle(batch.size());
      }
      out.close();
    } catch (IOException e) {
      LOG.error("The event log cannot be closed; all its lines were flushed before", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What has come together; nothing when the log is closed and no more comes. */
  private synchronized List<Entry> next() throws InterruptedException {
    while (entries.isEmpty() && !closing) {
      wait();
    }
    return List.copyOf(entries);
  }

  private void write(List<Entry> batch) {
    if (broken || batch.stream().allMatch(entry -> entry.line() == null)) {
      return;
    }
    try {
      for (Entry entry : batch) {
        if (entry.line() != null) {
          out.write((entry.line() + "\n").getBytes(StandardCharsets.UTF_8));
        }
      }
      out.hflush();
    } catch (IOException | RuntimeException e) {
      // The job is worth more than its history: it goes on, and says so. Nothing is written after
      // a gap, which a reader could not see.
      broken = true;
      LOG.error("The event log cannot be written; the history of this job is incomplete", e);
    }
  }

  /** Tells and does the first entries, unless that was done when the file system did not answer. */
  private synchronized void settle(int count) {
    List<Entry> settled = entries.subList(0, Math.min(count, entries.size()));
    List<String> told = settled.stream().map(Entry::line).filter(Objects::nonNull).toList();
    List<Runnable> steps = settled.stream().map(Entry::step).filter(Objects::nonNull).toList();
    settled.clear();
    if (!told.isEmpty()) {
      listener.accept(told);
    }
    steps.forEach(Runnable::run);
  }

  /**
   * Returns when all that was appended is in the file and told, and the file is closed; or after 10
   * s, when the file system does not take it: then it is told without.
   */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    try {
      writer.join(closeLimit.toMillis());
      if (writer.isAlive()) {
        LOG.error("The event log is not written after {}; the job ends without it", closeLimit);
        settle(Integer.MAX_VALUE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
