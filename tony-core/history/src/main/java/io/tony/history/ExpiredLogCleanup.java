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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the expired event logs of all users, as far as the current user has the permission. Each
 * call of {@link #deleteExpired} checks a limited number of logs; the next call continues with the
 * others. Not thread-safe.
 */
public final class ExpiredLogCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredLogCleanup.class);

  /** Maximum number of folders that one call checks, and thus of logs that it deletes. */
  static final int MAX_FOLDERS_PER_PASS = 100;

  /** How long to wait before re-checking a log that was not expired yet or could not be deleted. */
  private static final Duration RECHECK_DELAY = Duration.ofDays(1);

  /** How long to wait before re-checking a log whose check failed. */
  private static final Duration RETRY_DELAY = Duration.ofMinutes(10);

  /**
   * Result of one call of {@link #deleteExpired}.
   *
   * @param deletedCount number of deleted logs
   * @param refused folders that the current user may not delete and that no earlier call reported
   * @param error why the call ended early; null if it did not, or if the previous call also ended
   *     early
   */
  public record DeletionResult(int deletedCount, List<Path> refused, @Nullable String error) {}

  private final FileSystem fs;
  private final HistoryIndex index;
  private final Duration retention;
  private final LogRetention rule;
  private final InstantSource clock;
  private final Map<Path, Instant> nextChecks = new HashMap<>();
  private final Set<Path> loggedRefused = new HashSet<>();
  private boolean failing;

  /**
   * Creates a cleanup of the logs in {@code index}; deletes nothing yet.
   *
   * @param retention how long a log is kept after the end of its job
   * @param applications reports what YARN knows about applications
   */
  public ExpiredLogCleanup(
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

  /**
   * Checks some of the logs that may have expired, and deletes those that have. Logs each new
   * problem once.
   */
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
        // If the check fails, the next calls skip this folder until the delay has passed.
        nextChecks.put(folder, clock.instant().plus(RETRY_DELAY));
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
      return false; // the folder was already deleted, for example by the owner's next job
    }
  }
}
