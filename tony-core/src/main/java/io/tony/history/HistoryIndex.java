package io.tony.history;

import java.io.FileNotFoundException;
import java.io.IOException;
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
import java.util.concurrent.Executors;
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
   * @param jobs that are shown now
   * @param read logs that were looked into
   * @param gone jobs whose folder is no more
   * @param unreadable folders that this user may not read
   */
  public record Update(int jobs, int read, int gone, int unreadable) {}

  private final FileSystem fs;
  private final HistoryFolders folders;
  private final IndexFile file;
  private final InstantSource clock;
  private final ExecutorService readers;

  // Below: touched by the update alone.
  private final Map<String, Map<String, KnownJob>> settled = new HashMap<>(); // by history and id
  private final Map<Path, LogReading> unsettled = new HashMap<>();
  private final Set<Path> toldUnreadable = new HashSet<>();

  private volatile ShownJobs shown = new ShownJobs(List.of());

  /**
   * Opens an index. It shows what its file has; nothing is asked of the file system yet.
   *
   * @param patterns of the history folders, such as {@code /user/*}{@code /.tony/history}
   * @param local the file that it is kept in; null to keep nothing. It holds what the logs say, and
   *     only its owner may read it
   * @param threads that read logs
   */
  public HistoryIndex(
      FileSystem fs,
      List<String> patterns,
      java.nio.file.Path local,
      int threads,
      InstantSource clock)
      throws IOException {
    this.fs = fs;
    this.folders = new HistoryFolders(fs, patterns);
    this.clock = clock;
    this.file = new IndexFile(local, patterns);
    this.readers =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "history-reader");
              thread.setDaemon(true);
              return thread;
            });
    file.read(
        new IndexFile.Taker() {
          @Override
          public void added(KnownJob job) {
            settle(job);
          }

          @Override
          public void gone(String history, String application) {
            settled.getOrDefault(history, new HashMap<>()).remove(application);
          }
        });
    show();
  }

  private void settle(KnownJob job) {
    settled
        .computeIfAbsent(job.history(), history -> new HashMap<>())
        .put(job.summary().application(), job);
  }

  private List<KnownJob> allSettled() {
    return settled.values().stream().flatMap(jobs -> jobs.values().stream()).toList();
  }

  // ---- Brought up to date ----

  /**
   * Looks what is new.
   *
   * @throws IOException when the file system fails; what was shown before is still shown
   */
  public synchronized Update update() throws IOException, InterruptedException {
    Map<String, Set<String>> seen = new HashMap<>();
    List<LogReading> due = new ArrayList<>();
    List<Path> unreadable =
        folders.visit(
            (history, folder) -> {
              seen.computeIfAbsent(history.toString(), name -> new HashSet<>())
                  .add(folder.getPath().getName());
              if (isDue(history, folder)) {
                LogReading reading =
                    unsettled.computeIfAbsent(
                        folder.getPath(), path -> new LogReading(fs, history, folder));
                reading.seen(folder);
                due.add(reading);
              }
            });
    List<KnownJob> gone = forget(seen);
    for (int from = 0; from < due.size() || from == 0; from += BATCH) {
      List<KnownJob> added =
          read(due.subList(from, Math.min(due.size(), from + BATCH)), unreadable);
      added.forEach(this::settle);
      file.write(added, from == 0 ? gone : List.of(), allSettled());
    }
    if (!due.isEmpty() || !gone.isEmpty()) {
      show();
    }
    tell(unreadable);
    return new Update(shown.size(), due.size(), gone.size(), unreadable.size());
  }

  /** A lost job goes on when YARN starts another ApplicationMaster after all: it makes a file. */
  private boolean isDue(Path history, FileStatus folder) {
    String application = folder.getPath().getName();
    Map<String, KnownJob> jobs = settled.getOrDefault(history.toString(), Map.of());
    KnownJob known = jobs.get(application);
    if (known != null
        && known.summary().status() == JobSummary.Status.LOST
        && known.changed() != folder.getModificationTime()) {
      known = null;
      jobs.remove(application);
    }
    return known == null;
  }

  private List<KnownJob> forget(Map<String, Set<String>> seen) {
    unsettled
        .keySet()
        .removeIf(
            folder ->
                !seen.getOrDefault(folder.getParent().toString(), Set.of())
                    .contains(folder.getName()));
    List<KnownJob> gone =
        allSettled().stream()
            .filter(job -> !seen.getOrDefault(job.history(), Set.of()).contains(job.application()))
            .toList();
    gone.forEach(job -> settled.get(job.history()).remove(job.application()));
    return gone;
  }

  /** Returns those that are settled now. */
  private List<KnownJob> read(List<LogReading> due, List<Path> unreadable)
      throws InterruptedException {
    Instant now = clock.instant();
    List<Callable<Void>> steps = new ArrayList<>();
    for (LogReading reading : due) {
      steps.add(
          () -> {
            reading.readOn(now);
            return null;
          });
    }
    List<Future<Void>> results = readers.invokeAll(steps);
    List<KnownJob> added = new ArrayList<>();
    for (int i = 0; i < due.size(); i++) {
      LogReading reading = due.get(i);
      if (succeeded(results.get(i), reading, unreadable) && reading.isSettled()) {
        job(reading)
            .ifPresent(
                job -> {
                  added.add(job);
                  unsettled.remove(reading.folder());
                });
      }
    }
    return added;
  }

  /** Nothing where its log says what nobody thought of: that is no reason to hide the others. */
  private static Optional<KnownJob> job(LogReading reading) {
    try {
      return Optional.of(reading.job());
    } catch (RuntimeException e) {
      LOG.warn("The job in {} is not shown", reading.folder(), e);
      return Optional.empty();
    }
  }

  private boolean succeeded(Future<Void> result, LogReading reading, List<Path> unreadable)
      throws InterruptedException {
    try {
      result.get();
      return true;
    } catch (ExecutionException e) {
      Throwable why = e.getCause();
      if (why instanceof AccessControlException || why instanceof AccessDeniedException) {
        unreadable.add(reading.folder());
      } else if (!(why instanceof FileNotFoundException)) { // its owner deletes it
        LOG.warn("{} cannot be read now: {}", reading.folder(), why.toString());
      }
      return false;
    }
  }

  private void show() {
    List<KnownJob> all = new ArrayList<>(allSettled());
    unsettled.values().stream()
        .filter(LogReading::isShown)
        .flatMap(reading -> job(reading).stream())
        .forEach(all::add);
    shown = new ShownJobs(all);
  }

  /** Each once: there may be one of every user of a cluster. */
  private void tell(List<Path> unreadable) {
    List<Path> news = unreadable.stream().filter(toldUnreadable::add).toList();
    if (!news.isEmpty()) {
      LOG.warn(
          "{} more folders may not be read, and their jobs are not shown; one of them is {}",
          news.size(),
          news.get(0));
    }
  }

  // ---- Asked ----

  /** Those that match, newest first; {@code limit} of them from the {@code offset}th on. */
  public Page page(Predicate<JobSummary> filter, int offset, int limit) {
    return shown.page(filter, offset, limit);
  }

  /** One job, the newest of its id. */
  public Optional<JobSummary> find(String application) {
    return shown.of(application).stream().map(KnownJob::summary).findFirst();
  }

  /**
   * Those of an application's id, the newest first. There is more than one where somebody has made
   * a folder of that name who is not its user: only the folder's owner is certain.
   */
  public List<Log> logs(String application) {
    return shown.of(application).stream().map(KnownJob::log).toList();
  }

  /** Those that are over, and whose folder nobody has touched since then; the oldest first. */
  public List<Log> overSince(Instant then) {
    return shown.overSince(then);
  }

  @Override
  public void close() throws IOException {
    readers.shutdownNow();
    file.close();
  }
}
