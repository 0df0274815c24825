package io.tony.history.web;

import io.tony.eventlog.LogTail;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Reads the event logs that visitors currently view. A page requests a log in pieces, and asks for
 * new lines repeatedly while the job runs. Of each log, the lines that were read last are kept in
 * memory; if all kept lines exceed a limit, those of the least recently used logs are dropped.
 * Thread-safe.
 */
final class OpenLogs {
  /** Maximum number of characters kept of all logs together. */
  static final long MAX_CHARS = 64L * 1024 * 1024;

  /** Maximum number of characters of one response; its last line may exceed the limit. */
  static final int MAX_PIECE_CHARS = 1024 * 1024;

  /**
   * Maximum number of characters of one log that stay in memory when more of the log is read; if
   * more are kept, all of them are dropped first. It is large enough for two pages that read nearby
   * positions.
   */
  private static final int WINDOW_CHARS = 16 * MAX_PIECE_CHARS;

  /** Maximum number of pieces that are read for one response to reach the requested line. */
  private static final int MAX_PIECES = 64;

  /**
   * Maximum time that a request waits for a permit or a lock. A waiting request occupies a thread
   * of the web server.
   */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  /**
   * Maximum number of concurrent reads, and of responses created concurrently. Each may hold a
   * decision of many MiB in memory.
   */
  static final int MAX_READERS = 4;

  private final FileSystem fs;
  private final long maxChars;
  private final Semaphore readPermits = new Semaphore(MAX_READERS, true);
  private final Semaphore renderPermits = new Semaphore(MAX_READERS, true);
  private final Map<Path, OpenLog> logs = new LinkedHashMap<>(16, 0.75f, true);

  OpenLogs(FileSystem fs, long maxChars) {
    this.fs = fs;
    this.maxChars = maxChars;
  }

  /** Thrown if too many logs are being read, or a log is being read for too long. */
  static final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("many logs are read now; ask again in a moment");
    }
  }

  /**
   * Consecutive lines of a log.
   *
   * @param first number of the first line in the log, from 0
   * @param atEnd true if the log has no further lines at present
   */
  record Piece(long first, List<String> lines, boolean atEnd) {}

  /**
   * Returns lines from number {@code from} on, up to the size limit of a response. If the log has
   * fewer lines, or {@code from} is too far ahead to be reached by one call, returns no lines and a
   * lower number, from which the caller can continue.
   *
   * @throws BusyException if too many logs are being read
   */
  Piece read(Path folder, long from) throws IOException {
    OpenLog log;
    synchronized (this) {
      log = logs.computeIfAbsent(folder, path -> new OpenLog(fs, path, readPermits));
    }
    try {
      return log.read(from);
    } finally {
      evictOthers(log);
    }
  }

  /**
   * Like {@link #read}, but also creates the response with {@code renderer}. The number of
   * responses created at a time is limited, because each takes many times the memory of its lines.
   */
  String readAndRender(Path folder, long from, Function<Piece, String> renderer)
      throws IOException {
    Piece piece = read(folder, from);
    if (!acquireInTime(renderPermits::tryAcquire)) {
      throw new BusyException();
    }
    try {
      return renderer.apply(piece);
    } finally {
      renderPermits.release();
    }
  }

  private static boolean acquireInTime(TimedAcquire permit) {
    try {
      return permit.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the number of characters currently kept of all logs. */
  synchronized long characters() {
    return logs.values().stream().mapToLong(OpenLog::characters).sum();
  }

  private synchronized void evictOthers(OpenLog current) {
    long all = characters();
    for (var oldest = logs.values().iterator(); all > maxChars && oldest.hasNext(); ) {
      OpenLog log = oldest.next();
      if (log != current) {
        all -= log.characters();
        oldest.remove();
      }
    }
  }

  private interface TimedAcquire {
    boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException;
  }

  private static final class OpenLog {
    private final FileSystem fs;
    private final Path folder;
    private final Semaphore readPermits;
    private final Lock reading = new ReentrantLock();
    private final List<String> lines = new ArrayList<>();
    private LogTail tail;
    private long first; // number of the first kept line in the log
    private volatile long characters; // number of characters of the kept lines

    OpenLog(FileSystem fs, Path folder, Semaphore readPermits) {
      this.fs = fs;
      this.readPermits = readPermits;
      this.folder = folder;
      this.tail = new LogTail(fs, folder);
    }

    long characters() {
      return characters;
    }

    /**
     * Like {@link OpenLogs#read}. Takes a read permit only after the lock of this log, so that
     * requests that wait for this log do not keep other logs from being read.
     */
    Piece read(long from) throws IOException {
      if (!acquireInTime(reading::tryLock)) {
        throw new BusyException();
      }
      try {
        if (!acquireInTime(readPermits::tryAcquire)) {
          throw new BusyException();
        }
        try {
          return readNow(from);
        } finally {
          readPermits.release();
        }
      } finally {
        reading.unlock();
      }
    }

    private Piece readNow(long from) throws IOException {
      if (from < first) {
        resetTo(0);
        tail = new LogTail(fs, folder);
      }
      boolean caughtUp = false;
      for (int pieces = 0; !caughtUp && from >= end() && pieces < MAX_PIECES; pieces++) {
        caughtUp = readMore();
      }
      int begin = (int) (Math.min(from, end()) - first);
      int end = begin;
      for (long taken = 0; end < lines.size() && taken < MAX_PIECE_CHARS; end++) {
        taken += lines.get(end).length();
      }
      long number = first + begin;
      List<String> piece = List.copyOf(lines.subList(begin, end));
      boolean last = end == lines.size();
      if (last && !caughtUp) {
        // The job may have recorded more lines since the kept lines were read.
        caughtUp = readMore();
        last = end() == number + piece.size();
      }
      return new Piece(number, piece, last && caughtUp);
    }

    /** Reads the next piece of the log. Returns true if the log has no further lines at present. */
    private boolean readMore() throws IOException {
      if (characters > WINDOW_CHARS) {
        resetTo(end());
      }
      return tail.read(MAX_PIECE_CHARS, (line, event) -> append(line));
    }

    private long end() {
      return first + lines.size();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written only while the lock is held
    private void append(String line) {
      lines.add(line);
      characters += line.length();
    }

    private void resetTo(long number) {
      lines.clear();
      first = number;
      characters = 0;
    }
  }
}
