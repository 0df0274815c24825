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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs whose logs are in some history folders, newest first. It shows what was there when it
 * was brought up to date last. One thread at a time does that; any thread may ask meanwhile.
 *
 * <p>A log is read once when its job has ended, and read on while it runs. What the jobs that have
 * ended were is kept in a local file, so that the next process need not read their logs again.
 */
public final class HistoryIndex implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryIndex.class);

  /** Maximum bytes of the jobs of one answer: as JSON, they may be three times as many. */
  static final long MAX_PAGE_BYTES = 2L * 1024 * 1024;

  /** Logs that are read before what was found is kept. */
  private static final int BATCH = 1_000;

  /**
   * Some of the jobs that were asked for.
   *
   * @param total how many there are
   * @param offset how many newer ones are left out
   */
  public record Page(List<JobSummary> jobs, int total, int offset) {}

  /** A job, and the folder of its log, for {@link io.tony.eventlog.LogTail}. */
  public record Log(JobSummary job, Path folder) {}

  /**
   * What an update found.
   *
   * @param jobCount that are shown now
   * @param readCount logs that were looked into
   * @param removedCount jobs whose folder is no more
   * @param unreadableCount folders that this user may not read
   */
  public record Update(int jobCount, int readCount, int removedCount, int unreadableCount) {}

  private final FileSystem fs;
  private final HistoryFolders folders;
  private final IndexFile file;
  private final InstantSource clock;
  private final ExecutorService readerPool;

  private final OwnerQuota quota;

  // Below: touched by the update alone.
  private final Map<String, Map<String, IndexedJob>> finishedJobs =
      new HashMap<>(); // by history and id
  private final Map<Path, SummaryReader> openReaders = new HashMap<>();
  private final OwnerRotation rotation = new OwnerRotation();
  private final Set<Path> loggedUnreadable = new HashSet<>();

  private volatile IndexSnapshot snapshot = new IndexSnapshot(List.of());

  /**
   * Opens an index. It shows what its file has; nothing is asked of the file system yet.
   *
   * @param patterns of the history folders, such as {@code /user/*}{@code /.tony/history}
   * @param indexFile the file that it is kept in; null to keep nothing. It holds what the logs say,
   *     and only its owner may read it
   * @param threads that read logs
   */
  public HistoryIndex(
      FileSystem fs,
      List<String> patterns,
      java.nio.file.Path indexFile,
      int threads,
      InstantSource clock)
      throws IOException {
    this(fs, patterns, indexFile, threads, clock, OwnerQuota.ofThisProcess());
  }

  HistoryIndex(
      FileSystem fs,
      List<String> patterns,
      java.nio.file.Path indexFile,
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

  // ---- Brought up to date ----

  /**
   * Looks what is new.
   *
   * @throws IOException when the file system fails; what was shown before is still shown
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
              if (reader != null && (isNew || rotation.isDue(folder.getOwner()))) {
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

  /** A lost job goes on when YARN starts another ApplicationMaster after all: it makes a file. */
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

  /** Returns those that are settled now. */
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

  /** Nothing where its log says what nobody thought of: that is no reason to hide the others. */
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
      Throwable why = e.getCause();
      if (why instanceof AccessControlException || why instanceof AccessDeniedException) {
        unreadable.add(reader.folder());
      } else if (!(why instanceof FileNotFoundException)) { // its owner deletes it
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

  /** Each once: there may be one of every user of a cluster. */
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

  // ---- Asked ----

  /** Those that match, newest first; {@code limit} of them from the {@code offset}th on. */
  public Page page(Predicate<JobSummary> filter, int offset, int limit) {
    return snapshot.page(filter, offset, limit, Long.MAX_VALUE);
  }

  /** A page of jobs for an answer: fewer than {@code limit} where they hold very much. */
  public Page boundedPage(Predicate<JobSummary> filter, int offset, int limit) {
    return snapshot.page(filter, offset, limit, MAX_PAGE_BYTES);
  }

  /**
   * Those of an application's id, the newest first. There is more than one where somebody has made
   * a folder of that name who is not its user: only the folder's owner is certain.
   */
  public List<Log> logs(String application) {
    return snapshot.of(application).stream().map(IndexedJob::log).toList();
  }

  /** Those that are over, and whose folder nobody has touched since then; the oldest first. */
  public List<Log> endedBefore(Instant then) {
    return snapshot.endedBefore(then);
  }

  @Override
  public void close() throws IOException {
    readerPool.shutdownNow();
    file.close();
  }
}
