package io.tony.history.web;

import io.tony.eventlog.LogTail;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The logs that people look at now, as far as they were read: a page asks for them in pieces, and
 * again and again while its job runs. Those that nobody asked for the longest are forgotten.
 */
final class OpenLogs {
  /** Characters of all of them: some logs of jobs with ten thousand tasks. */
  static final long MOST = 64L * 1024 * 1024;

  /** Characters of one answer. */
  private static final int PIECE = 1024 * 1024;

  private final FileSystem fs;
  private final long most;
  private final Map<Path, OpenLog> logs = new LinkedHashMap<>(16, 0.75f, true);

  OpenLogs(FileSystem fs, long most) {
    this.fs = fs;
    this.most = most;
  }

  /** Some lines of a log, and how many there are in all. */
  record Piece(long first, List<String> lines, long total) {}

  /** As many lines from this number on as one answer should hold; none where there are no more. */
  Piece read(Path folder, long from) throws IOException {
    OpenLog log;
    synchronized (this) {
      log = logs.computeIfAbsent(folder, path -> new OpenLog(new LogTail(fs, path)));
    }
    Piece piece = log.read(from);
    makeRoom(log);
    return piece;
  }

  private synchronized void makeRoom(OpenLog asked) {
    long all = logs.values().stream().mapToLong(OpenLog::characters).sum();
    for (var oldest = logs.values().iterator(); all > most && oldest.hasNext(); ) {
      OpenLog log = oldest.next();
      if (log != asked) {
        all -= log.characters();
        oldest.remove();
      }
    }
  }

  private static final class OpenLog {
    private final LogTail tail;
    private final List<String> lines = new ArrayList<>();
    private volatile long characters;

    OpenLog(LogTail tail) {
      this.tail = tail;
    }

    long characters() {
      return characters;
    }

    synchronized Piece read(long from) throws IOException {
      if (from >= lines.size()) {
        tail.read(
            line -> {
              lines.add(line);
              characters += line.length();
            });
      }
      int first = (int) Math.min(from, lines.size());
      int end = first;
      for (long taken = 0; end < lines.size() && taken < PIECE; end++) {
        taken += lines.get(end).length();
      }
      return new Piece(first, List.copyOf(lines.subList(first, end)), lines.size());
    }
  }
}
