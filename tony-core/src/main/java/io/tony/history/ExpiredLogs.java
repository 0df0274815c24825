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
public final class ExpiredLogs {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredLogs.class);

  /** Folders that are looked into at a time, and so the most that are deleted. */
  static final int MAX_FOLDERS_PER_PASS = 100;

  /** After which one that could not be deleted, or was not old yet, is looked into again. */
  private static final Duration RECHECK_DELAY = Duration.ofDays(1);

  /** After which one is tried again that nothing was to be known of. */
  private static final Duration RETRY_DELAY = Duration.ofMinutes(10);

  /**
   * What came of a look.
   *
   * @param refused those that may not be deleted, and were not known for it
   * @param error why it ended early; null where it did not, or for what the look before had
   */
  public record DeletionResult(int deletedCount, List<Path> refused, String error) {}

  private final FileSystem fs;
  private final HistoryIndex index;
  private final Duration retention;
  private final LogRetention rule;
  private final InstantSource clock;
  private final Map<Path, Instant> nextChecks = new HashMap<>();
  private final Set<Path> loggedRefused = new HashSet<>();
  private boolean failing;

  /**
   * Those of an index.
   *
   * @param retention how long a job's log is kept after its end
   * @param applications who says which jobs are alive
   */
  public ExpiredLogs(
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
  public DeletionResult deleteExpired() {
    DeletionResult result = deleteBatch();
    if (!result.refused().isEmpty()) {
      LOG.warn(
          "{} more logs are old and stay: this user may not delete them; one of them is {}",
          result.refused().size(),
          result.refused().get(0));
    }
    if (result.error() != null) {
      LOG.warn("Old logs stay until YARN and the file system answer: {}", result.error());
    }
    return result;
  }

  private DeletionResult deleteBatch() {
    List<Path> refused = new ArrayList<>();
    int deleted = 0;
    try {
      for (Path folder : due()) {
        nextChecks.put(
            folder, clock.instant().plus(RETRY_DELAY)); // it may be this one that is in the way
        try {
          deleted += deleteIfOld(folder) ? 1 : 0;
        } catch (AccessControlException | AccessDeniedException e) {
          refused.add(folder);
        }
        nextChecks.put(folder, clock.instant().plus(RECHECK_DELAY));
      }
      failing = false;
      return new DeletionResult(deleted, newlyRefused(refused), null);
    } catch (IOException | RuntimeException e) {
      String trouble = failing ? null : e.toString();
      failing = true;
      return new DeletionResult(deleted, newlyRefused(refused), trouble);
    }
  }

  private List<Path> newlyRefused(List<Path> refused) {
    return refused.stream().filter(loggedRefused::add).toList();
  }

  private List<Path> due() {
    Instant now = clock.instant();
    List<Path> expired =
        index.endedBefore(now.minus(retention)).stream().map(HistoryIndex.Log::folder).toList();
    Set<Path> existing = new HashSet<>(expired);
    nextChecks.keySet().retainAll(existing);
    loggedRefused.retainAll(existing);
    return expired.stream()
        .filter(folder -> !nextChecks.getOrDefault(folder, Instant.MIN).isAfter(now))
        .limit(MAX_FOLDERS_PER_PASS)
        .toList();
  }

  private boolean deleteIfOld(Path folder) throws IOException {
    try {
      FileStatus status = fs.getFileStatus(folder);
      return rule.mayBeExpired(status) && rule.deleteIfExpired(status);
    } catch (FileNotFoundException e) {
      return false; // its owner's next job deleted it
    }
  }
}
