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
 * The logs that people look at now: a page asks for them in pieces, and again and again while its
 * job runs. Of each, some of what was read last is kept, however long it is; those that nobody
 * asked for the longest are forgotten.
 */
final class OpenLogs {
  /** Characters that are kept of all of them. */
  static final long MAX_CHARS = 64L * 1024 * 1024;

  /** Characters of one answer, but where one decision has more. */
  static final int MAX_PIECE_CHARS = 1024 * 1024;

  /** Characters that are kept of one: what two pages that are not far from each other ask for. */
  private static final int WINDOW_CHARS = 16 * MAX_PIECE_CHARS;

  /** Pieces that are read for one answer towards the line that is asked for. */
  private static final int MAX_PIECES = 64;

  /** For one's turn: whoever waits keeps a thread of the web server. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  /** Logs that are read at once, however many people look: each may hold a decision of many MiB. */
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

  /** Too much is being read. */
  static final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("many logs are read now; ask again in a moment");
    }
  }

  /**
   * Some lines of a log.
   *
   * @param first the number of the first
   * @param atEnd whether these are the last ones that it has now
   */
  record Piece(long first, List<String> lines, boolean atEnd) {}

  /**
   * As many lines from this number on as one answer should hold; none, from a lower number, where
   * there are not so many, or it is too far from what was read before.
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
   * An answer of the lines that {@link #read} gives: few are made at a time, each of which takes
   * many times the memory of its lines.
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

  /** How many are kept now. */
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
    private long first; // the number of the first line that is kept
    private volatile long characters; // of those

    OpenLog(FileSystem fs, Path folder, Semaphore readPermits) {
      this.fs = fs;
      this.readPermits = readPermits;
      this.folder = folder;
      this.tail = new LogTail(fs, folder);
    }

    long characters() {
      return characters;
    }

    /** Whoever waits for this log keeps nobody from another, and nobody waits for long. */
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
        // The job may have told more since somebody else asked.
        caughtUp = readMore();
        last = end() == number + piece.size();
      }
      return new Piece(number, piece, last && caughtUp);
    }

    /** Returns whether there is no more now. */
    private boolean readMore() throws IOException {
      if (characters > WINDOW_CHARS) {
        resetTo(end());
      }
      return tail.read(MAX_PIECE_CHARS, (line, event) -> append(line));
    }

    private long end() {
      return first + lines.size();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread at a time writes it
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
