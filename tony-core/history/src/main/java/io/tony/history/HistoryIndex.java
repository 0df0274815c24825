package io.tony.history;

import io.tony.process.Spawner;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Index of the jobs whose event logs are in the history folders, newest first, as of the last
 * update. Updates run one at a time; any thread may query the index meanwhile.
 *
 * <p>The log of a finished job is read once; each update reads the new part of a running job's log.
 * Summaries of finished jobs are stored in a local file, so that the next process need not read
 * these jobs' logs again.
 */
public final class HistoryIndex implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryIndex.class);

  /**
   * Maximum memory of the summaries on a page that {@link #boundedPage} returns, in bytes. Their
   * JSON may be three times as large.
   */
  static final long MAX_PAGE_BYTES = 2L * 1024 * 1024;

  /** Number of logs that are read before their summaries are stored in the file of the index. */
  private static final int BATCH = 1_000;

  /**
   * A page of the jobs that match a query.
   *
   * @param jobs the jobs of this page
   * @param total number of all matching jobs
   * @param offset number of matching jobs that are newer than those of this page
   */
  public record Page(List<JobSummary> jobs, int total, int offset) {}

  /** A job and the folder of its event log, for {@link io.tony.eventlog.LogTail}. */
  public record Log(JobSummary job, Path folder) {}

  /**
   * Result of an update.
   *
   * @param jobCount number of jobs in the index
   * @param readCount number of logs that were read
   * @param removedCount number of jobs whose folder no longer exists
   * @param unreadableCount number of folders that the current user may not read
   */
  public record Update(int jobCount, int readCount, int removedCount, int unreadableCount) {}

  private final FileSystem fs;
  private final HistoryFolders folders;
  private final IndexFile file;
  private final InstantSource clock;
  private final ExecutorService readerPool;

  private final OwnerQuota quota;

  // The fields below are accessed by the updating thread only.
  private final Map<String, Map<String, IndexedJob>> finishedJobs =
      new HashMap<>(); // by history folder, then by application ID
  private final Map<Path, SummaryReader> openReaders = new HashMap<>();
  private final OwnerRotation rotation = new OwnerRotation();
  private final Set<Path> loggedUnreadable = new HashSet<>();

  private volatile IndexSnapshot snapshot = new IndexSnapshot(List.of());

  /**
   * Opens an index with the summaries stored in its file. Does not access {@code fs} yet.
   *
   * @param patterns patterns of the history folders, such as {@code /user/*}{@code /.tony/history}
   * @param indexFile local file of the index, which contains data from the logs and is readable by
   *     its owner only; null for an index in memory only
   * @param threads number of threads that read logs
   */
  public HistoryIndex(
      FileSystem fs,
      List<String> patterns,
      java.nio.file.@Nullable Path indexFile,
      int threads,
      InstantSource clock)
      throws IOException {
    this(fs, patterns, indexFile, threads, clock, OwnerQuota.ofThisProcess());
  }

  HistoryIndex(
      FileSystem fs,
      List<String> patterns,
      java.nio.file.@Nullable Path indexFile,
      int threads,
      InstantSource clock,
      OwnerQuota quota)
      throws IOException {
    this.fs = fs;
    this.quota = quota;
    this.folders = new HistoryFolders(fs, patterns);
    this.clock = clock;
    this.file = new IndexFile(indexFile, patterns);
    this.readerPool = Spawner.SYSTEM.newThreadPool("history-reader", threads);
    file.read(
        new IndexFile.IndexListener() {
          @Override
          public void onAdded(IndexedJob job) {
            addFinished(job);
          }

          @Override
          public void onRemoved(String history, String application) {
            removeFinished(history, application);
          }
        });
    publishSnapshot();
  }

  private void addFinished(IndexedJob job) {
    removeFinished(job.history(), job.application());
    finishedJobs
        .computeIfAbsent(job.history(), history -> new HashMap<>())
        .put(job.application(), job);
    quota.add(job.summary().user(), job.summary().bytes());
  }

  private void removeFinished(String history, String application) {
    IndexedJob job = finishedJobs.getOrDefault(history, new HashMap<>()).remove(application);
    if (job != null) {
      quota.add(job.summary().user(), -job.summary().bytes());
    }
  }

  private List<IndexedJob> allFinished() {
    return finishedJobs.values().stream().flatMap(jobs -> jobs.values().stream()).toList();
  }

  // ---- Update ----

  /**
   * Reads the logs that are new or may have grown, and removes the jobs whose folders no longer
   * exist. New logs of owners who exceed their {@link OwnerQuota} are left out.
   *
   * @throws IOException if the file system fails; the index then keeps its previous contents
   */
  public synchronized Update update() throws IOException, InterruptedException {
    Map<String, Set<String>> seen = new HashMap<>();
    List<SummaryReader> due = new ArrayList<>();
    int[] readCount = {0};
    rotation.startRound();
    List<Path> unreadable = new ArrayList<>();
    List<Path> unreadableFolders =
        folders.visit(
            (history, folder) -> {
              SummaryReader reader = openReaders.get(folder.getPath());
              boolean isNew = reader == null && isDue(history, folder);
              if (isNew && !quota.hasRoom(folder.getOwner())) {
                return;
              }
              seen.computeIfAbsent(history.toString(), name -> new HashSet<>())
                  .add(folder.getPath().getName());
              if (isNew) {
                reader = new SummaryReader(fs, history, folder);
                openReaders.put(folder.getPath(), reader);
              }
              if (reader != null && (isNew || rotation.recordIfDue(folder.getOwner()))) {
                reader.updateFolder(folder);
                due.add(reader);
                readCount[0]++;
              }
              if (due.size() == BATCH) {
                readAll(due, unreadable);
              }
            });
    readAll(due, unreadable);
    unreadable.addAll(unreadableFolders);
    List<IndexedJob> gone = forget(seen);
    file.write(List.of(), gone, allFinished());
    if (readCount[0] > 0 || !gone.isEmpty()) {
      publishSnapshot();
    }
    logUnreadable(unreadable);
    return new Update(snapshot.size(), readCount[0], gone.size(), unreadable.size());
  }

  private void readAll(List<SummaryReader> due, List<Path> unreadable) throws IOException {
    try {
      List<IndexedJob> added = read(due, unreadable);
      added.forEach(this::addFinished);
      file.write(added, List.of(), allFinished());
      due.clear();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the history is closed");
    }
  }

  /**
   * Returns true if the log in {@code folder} must be read: it is new, or its job has not ended.
   * The log of a lost job must be read again if its folder was modified: YARN may have started
   * another ApplicationMaster, which created a file in the folder.
   */
  private boolean isDue(Path history, FileStatus folder) {
    String application = folder.getPath().getName();
    Map<String, IndexedJob> jobs = finishedJobs.getOrDefault(history.toString(), Map.of());
    IndexedJob indexed = jobs.get(application);
    if (indexed != null
        && indexed.summary().status() == JobSummary.Status.LOST
        && indexed.modifiedMillis() != folder.getModificationTime()) {
      indexed = null;
      removeFinished(history.toString(), application);
    }
    return indexed == null;
  }

  private List<IndexedJob> forget(Map<String, Set<String>> seen) {
    List<SummaryReader> vanished =
        openReaders.values().stream()
            .filter(
                reader ->
                    !seen.getOrDefault(reader.folder().getParent().toString(), Set.of())
                        .contains(reader.folder().getName()))
            .toList();
    vanished.forEach(this::drop);
    List<IndexedJob> gone =
        allFinished().stream()
            .filter(job -> !seen.getOrDefault(job.history(), Set.of()).contains(job.application()))
            .toList();
    gone.forEach(job -> removeFinished(job.history(), job.application()));
    return gone;
  }

  private void drop(SummaryReader reader) {
    openReaders.remove(reader.folder());
    quota.add(reader.owner(), -reader.bytes());
  }

  /**
   * Reads the logs of {@code due}; returns the jobs whose logs need not be read again. Adds folders
   * that the current user may not read to {@code unreadable}.
   */
  private List<IndexedJob> read(List<SummaryReader> due, List<Path> unreadable)
      throws InterruptedException {
    Instant now = clock.instant();
    List<Callable<Void>> steps = new ArrayList<>();
    for (SummaryReader reader : due) {
      steps.add(
          () -> {
            if (quota.hasRoom(reader.owner())) {
              try {
                reader.readMore(now);
              } finally {
                quota.add(reader.owner(), reader.updateBytes());
              }
            }
            return null;
          });
    }
    List<Future<Void>> results = readerPool.invokeAll(steps);
    List<IndexedJob> added = new ArrayList<>();
    for (int i = 0; i < due.size(); i++) {
      SummaryReader reader = due.get(i);
      if (succeeded(results.get(i), reader, unreadable) && reader.isFinished()) {
        job(reader)
            .ifPresent(
                job -> {
                  added.add(job);
                  drop(reader);
                });
      }
    }
    return added;
  }

  /**
   * Returns the job with its summary; empty if no summary can be made of the contents of its log,
   * so that one bad log does not hide the other jobs.
   */
  private static Optional<IndexedJob> job(SummaryReader reader) {
    try {
      return Optional.of(reader.job());
    } catch (RuntimeException e) {
      LOG.warn("The job in {} is not shown", reader.folder(), e);
      return Optional.empty();
    }
  }

  private boolean succeeded(Future<Void> result, SummaryReader reader, List<Path> unreadable)
      throws InterruptedException {
    try {
      result.get();
      return true;
    } catch (ExecutionException e) {
      Throwable why = Objects.requireNonNull(e.getCause());
      if (why instanceof AccessControlException || why instanceof AccessDeniedException) {
        unreadable.add(reader.folder());
      } else if (!(why instanceof FileNotFoundException)) {
        // Do not log a missing file, which only means that the log was just deleted.
        LOG.warn("{} cannot be read now: {}", reader.folder(), why.toString());
      }
      return false;
    }
  }

  private void publishSnapshot() {
    List<IndexedJob> all = new ArrayList<>(allFinished());
    openReaders.values().stream()
        .filter(SummaryReader::isShown)
        .flatMap(reader -> job(reader).stream())
        .forEach(all::add);
    snapshot = new IndexSnapshot(all);
  }

  /**
   * Logs each folder only once, because there may be an unreadable folder for every user of the
   * cluster.
   */
  private void logUnreadable(List<Path> unreadable) {
    loggedUnreadable.retainAll(Set.copyOf(unreadable));
    List<Path> newFolders = unreadable.stream().filter(loggedUnreadable::add).toList();
    if (!newFolders.isEmpty()) {
      LOG.warn(
          "{} more folders may not be read, and their jobs are not shown; one of them is {}",
          newFolders.size(),
          newFolders.get(0));
    }
  }

  // ---- Queries ----

  /**
   * Returns the jobs that match {@code filter}, newest first: at most {@code limit} jobs, after
   * skipping {@code offset} jobs.
   */
  public Page page(Predicate<JobSummary> filter, int offset, int limit) {
    return snapshot.page(filter, offset, limit, Long.MAX_VALUE);
  }

  /**
   * Like {@link #page}, but returns fewer jobs if their summaries take more than {@link
   * #MAX_PAGE_BYTES}.
   */
  public Page boundedPage(Predicate<JobSummary> filter, int offset, int limit) {
    return snapshot.page(filter, offset, limit, MAX_PAGE_BYTES);
  }

  /**
   * Returns all jobs with the given application ID, newest first. There may be several, because any
   * user can create a folder with the ID of another user's application. Of the contents of a log,
   * only the owner of its folder is reliable.
   */
  public List<Log> logs(String application) {
    return snapshot.of(application).stream().map(IndexedJob::log).toList();
  }

  /**
   * Returns the jobs that have ended and whose folders were last modified before {@code then}; the
   * oldest first.
   */
  public List<Log> endedBefore(Instant then) {
    return snapshot.endedBefore(then);
  }

  @Override
  public void close() throws IOException {
    readerPool.shutdownNow();
    file.close();
  }
}
