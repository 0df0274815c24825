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
  static final long MOST = 64L * 1024 * 1024;

  /** Characters of one answer, but where one decision has more. */
  static final int PIECE = 1024 * 1024;

  /** Characters that are kept of one: what two pages that are not far from each other ask for. */
  private static final int WINDOW = 16 * PIECE;

  /** Pieces that are read for one answer towards the line that is asked for. */
  private static final int MOST_PIECES = 64;

  /** For one's turn: whoever waits keeps a thread of the web server. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Logs that are read at once, however many people look: each may hold a decision of many MiB. */
  static final int READERS = 4;

  private final FileSystem fs;
  private final long most;
  private final Semaphore readers = new Semaphore(READERS, true);
  private final Semaphore writers = new Semaphore(READERS, true);
  private final Map<Path, OpenLog> logs = new LinkedHashMap<>(16, 0.75f, true);

  OpenLogs(FileSystem fs, long most) {
    this.fs = fs;
    this.most = most;
  }

  /** Too much is being read. */
  static final class Busy extends IOException {
    private static final long serialVersionUID = 1L;

    Busy() {
      super("many logs are read now; ask again in a moment");
    }
  }

  /**
   * Some lines of a log.
   *
   * @param first the number of the first
   * @param whole whether these are the last ones that it has now
   */
  record Piece(long first, List<String> lines, boolean whole) {}

  /**
   * As many lines from this number on as one answer should hold; none, from a lower number, where
   * there are not so many, or it is too far from what was read before.
   */
  Piece read(Path folder, long from) throws IOException {
    OpenLog log;
    synchronized (this) {
      log = logs.computeIfAbsent(folder, path -> new OpenLog(fs, path, readers));
    }
    try {
      return log.read(from);
    } finally {
      makeRoom(log);
    }
  }

  /**
   * An answer of the lines that {@link #read} gives: few are made at a time, each of which takes
   * many times the memory of its lines.
   */
  String answer(Path folder, long from, Function<Piece, String> words) throws IOException {
    Piece piece = read(folder, from);
    if (!inTime(writers::tryAcquire)) {
      throw new Busy();
    }
    try {
      return words.apply(piece);
    } finally {
      writers.release();
    }
  }

  private static boolean inTime(Turn turn) {
    try {
      return turn.takeWithin(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** How many are kept now. */
  synchronized long characters() {
    return logs.values().stream().mapToLong(OpenLog::characters).sum();
  }

  private synchronized void makeRoom(OpenLog asked) {
    long all = characters();
    for (var oldest = logs.values().iterator(); all > most && oldest.hasNext(); ) {
      OpenLog log = oldest.next();
      if (log != asked) {
        all -= log.characters();
        oldest.remove();
      }
    }
  }

  private interface Turn {
    boolean takeWithin(long time, TimeUnit unit) throws InterruptedException;
  }

  private static final class OpenLog {
    private final FileSystem fs;
    private final Path folder;
    private final Semaphore readers;
    private final Lock reading = new ReentrantLock();
    private final List<String> lines = new ArrayList<>();
    private LogTail tail;
    private long first; // the number of the first line that is kept
    private volatile long characters; // of those

    OpenLog(FileSystem fs, Path folder, Semaphore readers) {
      this.fs = fs;
      this.readers = readers;
      this.folder = folder;
      this.tail = new LogTail(fs, folder);
    }

    long characters() {
      return characters;
    }

    /** Whoever waits for this log keeps nobody from another, and nobody waits for long. */
    Piece read(long from) throws IOException {
      if (!inTime(reading::tryLock)) {
        throw new Busy();
      }
      try {
        if (!inTime(readers::tryAcquire)) {
          throw new Busy();
        }
        try {
          return readNow(from);
        } finally {
          readers.release();
        }
      } finally {
        reading.unlock();
      }
    }

    private Piece readNow(long from) throws IOException {
      if (from < first) {
        forgetTo(0);
        tail = new LogTail(fs, folder);
      }
      boolean all = false;
      for (int pieces = 0; !all && from >= end() && pieces < MOST_PIECES; pieces++) {
        all = readOn();
      }
      int begin = (int) (Math.min(from, end()) - first);
      int end = begin;
      for (long taken = 0; end < lines.size() && taken < PIECE; end++) {
        taken += lines.get(end).length();
      }
      long number = first + begin;
      List<String> piece = List.copyOf(lines.subList(begin, end));
      boolean last = end == lines.size();
      if (last && !all) {
        // The job may have told more since somebody else asked.
        all = readOn();
        last = end() == number + piece.size();
      }
      return new Piece(number, piece, last && all);
    }

    /** Returns whether there is no more now. */
    private boolean readOn() throws IOException {
      if (characters > WINDOW) {
        forgetTo(end());
      }
      return tail.read(PIECE, (line, event) -> keep(line));
    }

    private long end() {
      return first + lines.size();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread at a time writes it
    private void keep(String line) {
      lines.add(line);
      characters += line.length();
    }

    private void forgetTo(long number) {
      lines.clear();
      first = number;
      characters = 0;
    }
  }
}
