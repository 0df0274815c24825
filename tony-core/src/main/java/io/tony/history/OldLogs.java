package io.tony.history;

import io.tony.eventlog.LogRetention;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the logs of jobs that ended long ago, whoever's they are, as far as this user may. Some
 * at each look; the next look goes on. One thread at a time looks.
 */
public final class OldLogs {
  private static final Logger LOG = LoggerFactory.getLogger(OldLogs.class);

  /** Folders that are looked into at a time, and so the most that are deleted. */
  static final int MOST_LOOKS = 100;

  /** After which one that could not be deleted, or was not old yet, is looked into again. */
  private static final Duration ANEW = Duration.ofDays(1);

  /** After which one is tried again that nothing was to be known of. */
  private static final Duration SOON = Duration.ofMinutes(10);

  /**
   * What came of a look.
   *
   * @param refused those that may not be deleted, and were not known for it
   * @param trouble why it ended early; null where it did not, or for what the look before had
   */
  public record Look(int deleted, List<Path> refused, String trouble) {}

  private final FileSystem fs;
  private final HistoryIndex index;
  private final Duration retention;
  private final LogRetention rule;
  private final InstantSource clock;
  private final Map<Path, Instant> anew = new HashMap<>();
  private final Set<Path> toldRefused = new HashSet<>();
  private boolean troubled;

  /**
   * Those of an index.
   *
   * @param retention how long a job's log is kept after its end
   * @param applications who says which jobs are alive
   */
  public OldLogs(
      FileSystem fs,
      HistoryIndex index,
      Duration retention,
      LogRetention.Applications applications,
      InstantSource clock) {
    this.fs = fs;
    this.index = index;
    this.retention = retention;
    this.clock = clock;
    this.rule = new LogRetention(fs, retention, applications, clock);
  }

  /** Deletes some, and says what is in the way, each thing once. */
  public Look look() {
    Look look = next();
    if (!look.refused().isEmpty()) {
      LOG.warn(
          "{} more logs are old and stay: this user may not delete them; one of them is {}",
          look.refused().size(),
          look.refused().get(0));
    }
    if (look.trouble() != null) {
      LOG.warn("Old logs stay until YARN and the file system answer: {}", look.trouble());
    }
    return look;
  }

  private Look next() {
    List<Path> refused = new ArrayList<>();
    int deleted = 0;
    try {
      for (Path folder : due()) {
        anew.put(folder, clock.instant().plus(SOON)); // it may be this one that is in the way
        try {
          deleted += deleteIfOld(folder) ? 1 : 0;
        } catch (AccessControlException | AccessDeniedException e) {
          refused.add(folder);
        }
        anew.put(folder, clock.instant().plus(ANEW));
      }
      troubled = false;
      return new Look(deleted, news(refused), null);
    } catch (IOException | RuntimeException e) {
      String trouble = troubled ? null : e.toString();
      troubled = true;
      return new Look(deleted, news(refused), trouble);
    }
  }

  private List<Path> news(List<Path> refused) {
    return refused.stream().filter(toldRefused::add).toList();
  }

  private List<Path> due() {
    Instant now = clock.instant();
    List<Path> old =
        index.overSince(now.minus(retention)).stream().map(HistoryIndex.Log::folder).toList();
    Set<Path> there = new HashSet<>(old);
    anew.keySet().retainAll(there);
    toldRefused.retainAll(there);
    return old.stream()
        .filter(folder -> !anew.getOrDefault(folder, Instant.MIN).isAfter(now))
        .limit(MOST_LOOKS)
        .toList();
  }

  private boolean deleteIfOld(Path folder) throws IOException {
    try {
      FileStatus status = fs.getFileStatus(folder);
      return rule.mayBeOld(status) && rule.deleteIfOld(status);
    } catch (FileNotFoundException e) {
      return false; // its owner's next job deleted it
    }
  }
}
