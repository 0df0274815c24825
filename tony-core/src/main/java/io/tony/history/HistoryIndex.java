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
  static final long MAX_ANSWER = 2L * 1024 * 1024;

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

  private final OwnerRoom room;

  // Below: touched by the update alone.
  private final Map<String, Map<String, KnownJob>> settled = new HashMap<>(); // by history and id
  private final Map<Path, LogReading> unsettled = new HashMap<>();
  private final OwnerTurns turns = new OwnerTurns();
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
    this(fs, patterns, local, threads, clock, OwnerRoom.ofThisProcess());
  }

  HistoryIndex(
      FileSystem fs,
      List<String> patterns,
      java.nio.file.Path local,
      int threads,
      InstantSource clock,
      OwnerRoom room)
      throws IOException {
    this.fs = fs;
    this.room = room;
    this.folders = new HistoryFolders(fs, patterns);
    this.clock = clock;
    this.file = new IndexFile(local, patterns);
    this.readers = Spawner.SYSTEM.pool("history-reader", threads);
    file.read(
        new IndexFile.Taker() {
          @Override
          public void added(KnownJob job) {
            settle(job);
          }

          @Override
          public void gone(String history, String application) {
            unsettle(history, application);
          }
        });
    show();
  }

  private void settle(KnownJob job) {
    unsettle(job.history(), job.application());
    settled.computeIfAbsent(job.history(), history -> new HashMap<>()).put(job.application(), job);
    room.add(job.summary().user(), job.summary().bytes());
  }

  private void unsettle(String history, String application) {
    KnownJob job = settled.getOrDefault(history, new HashMap<>()).remove(application);
    if (job != null) {
      room.add(job.summary().user(), -job.summary().bytes());
    }
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
    int[] read = {0};
    turns.next();
    List<Path> unreadable = new ArrayList<>();
    List<Path> closed =
        folders.visit(
            (history, folder) -> {
              LogReading reading = unsettled.get(folder.getPath());
              boolean isNew = reading == null && isDue(history, folder);
              if (isNew && !room.hasRoom(folder.getOwner())) {
                return;
              }
              seen.computeIfAbsent(history.toString(), name -> new HashSet<>())
                  .add(folder.getPath().getName());
              if (isNew) {
                reading = new LogReading(fs, history, folder);
                unsettled.put(folder.getPath(), reading);
              }
              if (reading != null && (isNew || turns.isDue(folder.getOwner()))) {
                reading.seen(folder);
                due.add(reading);
                read[0]++;
              }
              if (due.size() == BATCH) {
                readAll(due, unreadable);
              }
            });
    readAll(due, unreadable);
    unreadable.addAll(closed);
    List<KnownJob> gone = forget(seen);
    file.write(List.of(), gone, allSettled());
    if (read[0] > 0 || !gone.isEmpty()) {
      show();
    }
    tell(unreadable);
    return new Update(shown.size(), read[0], gone.size(), unreadable.size());
  }

  private void readAll(List<LogReading> due, List<Path> unreadable) throws IOException {
    try {
      List<KnownJob> added = read(due, unreadable);
      added.forEach(this::settle);
      file.write(added, List.of(), allSettled());
      due.clear();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the history is closed");
    }
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
      unsettle(history.toString(), application);
    }
    return known == null;
  }

  private List<KnownJob> forget(Map<String, Set<String>> seen) {
    List<LogReading> left =
        unsettled.values().stream()
            .filter(
                reading ->
                    !seen.getOrDefault(reading.folder().getParent().toString(), Set.of())
                        .contains(reading.folder().getName()))
            .toList();
    left.forEach(this::drop);
    List<KnownJob> gone =
        allSettled().stream()
            .filter(job -> !seen.getOrDefault(job.history(), Set.of()).contains(job.application()))
            .toList();
    gone.forEach(job -> unsettle(job.history(), job.application()));
    return gone;
  }

  private void drop(LogReading reading) {
    unsettled.remove(reading.folder());
    room.add(reading.owner(), -reading.bytes());
  }

  /** Returns those that are settled now. */
  private List<KnownJob> read(List<LogReading> due, List<Path> unreadable)
      throws InterruptedException {
    Instant now = clock.instant();
    List<Callable<Void>> steps = new ArrayList<>();
    for (LogReading reading : due) {
      steps.add(
          () -> {
            if (room.hasRoom(reading.owner())) {
              try {
                reading.readOn(now);
              } finally {
                room.add(reading.owner(), reading.moreBytes());
              }
            }
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
                  drop(reading);
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
    toldUnreadable.retainAll(Set.copyOf(unreadable));
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
    return shown.page(filter, offset, limit, Long.MAX_VALUE);
  }

  /** A page of jobs for an answer: fewer than {@code limit} where they hold very much. */
  public Page answer(Predicate<JobSummary> filter, int offset, int limit) {
    return shown.page(filter, offset, limit, MAX_ANSWER);
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
