package io.tony.am.checkpoint;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.CheckpointPort;
import io.tony.am.machine.Event;
import io.tony.checkpoint.CheckpointName;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ResumePolicy;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages the checkpoints of one job. Decides once per start from which checkpoint it resumes, even
 * if several tasks ask; sends the decision to the ApplicationMaster's loop as an event; deletes old
 * checkpoints. Thread-safe.
 */
public final class JobCheckpoints implements StartCheckpoints, CheckpointPort {
  private static final Logger LOG = LoggerFactory.getLogger(JobCheckpoints.class);

  private final TonyConfig config;
  private final String application;

  /**
   * Parent folder of all checkpoint sets; null if the configured checkpoint folder is not a valid
   * Hadoop path.
   */
  private final @Nullable Path folder;

  private final CheckpointOwners owners;
  private final EventSink sink;
  private final InstantSource clock;
  private final FileSystemRetries retries;
  private final CheckpointsInUse inUse = new CheckpointsInUse();
  private final DeletableCheckpoints deletable;
  private final CheckpointReports reports = new CheckpointReports();
  private final CheckpointListingCache listing;
  private final CheckpointSweeper sweeper;

  /** Current session of the gang: the highest session number seen so far. */
  private final AtomicInteger currentSession = new AtomicInteger();

  /**
   * The gang's resume point, under the session for which it was chosen. Has at most one entry: that
   * of the latest session.
   */
  private final Map<Integer, ResumePoint> gangResumePoints = new HashMap<>();

  /**
   * Resume points of tasks that restart alone, each with the attempt it was chosen for; only the
   * latest per task.
   */
  private final Map<TaskId, Map.Entry<TaskKey, ResumePoint>> taskResumePoints = new HashMap<>();

  /**
   * Creates the object without accessing the file system.
   *
   * @param user user for accesses to the file system
   * @param sink gets the decisions as events
   */
  public JobCheckpoints(
      Configuration conf,
      UserGroupInformation user,
      TonyConfig config,
      JobSpec job,
      String application,
      EventSink sink,
      InstantSource clock) {
    this(conf, user, config, job, application, sink, clock, CheckpointTimeouts.DEFAULT);
  }

  JobCheckpoints(
      Configuration conf,
      UserGroupInformation user,
      TonyConfig config,
      JobSpec job,
      String application,
      EventSink sink,
      InstantSource clock,
      CheckpointTimeouts timeouts) {
    this.config = config;
    this.application = application;
    this.folder = CheckpointInstructions.folder(config.get(JobOptions.CHECKPOINT_DIR));
    this.owners = CheckpointOwners.of(job, config.get(CheckpointOptions.ROLES));
    this.sink = sink;
    this.clock = clock;
    this.retries = new FileSystemRetries(user, timeouts.retryTimeout(), timeouts.retryDelay());
    this.deletable = new DeletableCheckpoints(application);
    this.listing = new CheckpointListingCache(conf, folder, inUse, clock);
    this.sweeper = new CheckpointSweeper(retries, timeouts.deletionTimeout());
  }

  /**
   * Restores the resume point that an earlier ApplicationMaster chose for the gang's current start,
   * because executors may already have received it. Returns this object.
   *
   * @param session number of the gang's current start
   * @param chosen that decision, from the event log; null if there is none
   */
  public synchronized JobCheckpoints restoreChoice(int session, @Nullable ResumeDecision chosen) {
    currentSession.set(session);
    inUse.startSession(session);
    if (session > 0 || chosen != null) {
      deletable.restoreChoice(session, chosen);
    }
    if (chosen != null) {
      ResumePoint resumePoint = ResumePoint.of(chosen);
      resumePoint.set().ifPresent(set -> inUse.tryUse(session, set, inUse.version()));
      gangResumePoints.put(session, resumePoint);
    }
    return this;
  }

  /**
   * Marks checkpoint sets as in use: those from which single tasks resumed while an earlier
   * ApplicationMaster ran.
   *
   * @param sets names of the checkpoint sets; invalid names are ignored
   */
  public synchronized JobCheckpoints restoreSetsInUse(Collection<String> sets) {
    for (String name : sets) {
      CheckpointName.parse(name)
          .ifPresent(set -> inUse.tryUse(currentSession.get(), set, inUse.version()));
    }
    return this;
  }

  @Override
  public int ownerCount() {
    return owners.all().size();
  }

  @Override
  public Optional<String> recordSaved(TaskId task, CheckpointName set, String name) {
    if (folder == null
        || !owners.isOwner(task)
        || !CheckpointName.isOf(application, set)
        || set.generation().compareTo(CheckpointName.generation(application, currentSession.get()))
            > 0) {
      return Optional.empty();
    }
    reports.recordSaved(task, set);
    return Optional.of(CheckpointListing.dataUri(folder, set, task, name));
  }

  @Override
  public OptionalInt attempt(TaskId task) {
    return owners.isOwner(task) ? OptionalInt.of(reports.attempt(task)) : OptionalInt.empty();
  }

  @Override
  public Optional<Checkpoints> prepareStart(StartTask start) {
    currentSession.accumulateAndGet(start.session(), Math::max);
    TaskId task = start.key().task();
    Optional<TaskId> source = owners.sourceTask(task);
    if (folder == null || (source.isEmpty() && !owners.isOwner(task))) {
      return Optional.empty();
    }
    if (owners.isOwner(task)) {
      reports.recordStart(start.key());
    }
    ResumePoint resumePoint =
        start.alone()
            ? taskResumePoint(start, source.orElse(task))
            : gangResumePoint(start.session());
    return resumePoint.usable()
        ? Optional.of(
            new CheckpointInstructions(config, application, folder, owners)
                .of(task, start.session(), source.orElse(task), resumePoint))
        : Optional.empty();
  }

  // ---- Selection ----

  /** Selects a resume point from a listing: for the gang or for a single task. */
  private interface ResumeStrategy {
    ResumePoint select(ResumeSelection selection) throws IOException;
  }

  /**
   * Returns the resume point of the gang in this session. Concurrent callers wait and get the same
   * one.
   */
  private synchronized ResumePoint gangResumePoint(int session) {
    ResumePoint cached = gangResumePoints.get(session);
    if (cached == null) {
      inUse.startSession(session);
      String generation = CheckpointName.generation(application, session);
      cached = choose(session, null, 0, selection -> selection.forGang(generation));
      gangResumePoints.clear();
      gangResumePoints.put(session, cached);
    }
    return cached;
  }

  private synchronized ResumePoint taskResumePoint(StartTask start, TaskId source) {
    TaskKey key = start.key();
    Map.Entry<TaskKey, ResumePoint> cached = taskResumePoints.get(key.task());
    if (cached == null || !cached.getKey().equals(key)) {
      String generation = CheckpointName.generation(application, start.session());
      long lastNumber = reports.lastNumber(key.task(), generation);
      ResumeStrategy strategy =
          selection -> selection.forTask(key.task(), source, generation, lastNumber);
      cached = Map.entry(key, choose(start.session(), key.task(), lastNumber, strategy));
      taskResumePoints.put(key.task(), cached);
    }
    return cached.getValue();
  }

  /**
   * Selects a resume point, offers the decision to the loop as an event and waits until it is in
   * the event log, so that the next ApplicationMaster knows everything that executors were sent.
   *
   * @param task task that restarts alone; null for the gang
   * @param lastNumber highest checkpoint number that the task is known to have used
   */
  private ResumePoint choose(
      int session, @Nullable TaskId task, long lastNumber, ResumeStrategy strategy) {
    ResumePoint resumePoint;
    try {
      if (task != null) {
        listing.requireNoRecentFailure();
      }
      resumePoint = retries.call(() -> chooseAndUse(session, foldersFor(task), strategy));
      listing.recordSuccess();
    } catch (UnsupportedFileSystemException | RuntimeException e) {
      LOG.warn("Programs keep their checkpoints themselves: {}", e.toString());
      return ResumePoint.UNUSABLE;
    } catch (IOException e) {
      LOG.warn("The checkpoints in {} cannot be listed: {}", folder, e.toString());
      listing.recordFailure(e);
      deletable.recordListingFailure(session);
      resumePoint =
          ResumePoint.of(
                  ResumeDecision.clean(
                      task, "the checkpoints in " + folder + " cannot be listed: " + e))
              .withLastNumber(lastNumber);
    }
    resumePoint
        .fact()
        .ifPresent(fact -> record(new Event.ResumePointChosen(clock.instant(), session, fact)));
    return resumePoint;
  }

  private void record(Event.ResumePointChosen chosen) {
    CountDownLatch recorded = new CountDownLatch(1);
    sink.offer(chosen, recorded::countDown);
    try {
      recorded.await();
    } catch (InterruptedException e) {
      // This thread is interrupted only after the ApplicationMaster's RPC server has stopped. Its
      // answer to the executor is then lost, so it does not matter that the decision is not
      // recorded.
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns a new listing for the gang ({@code task} is null). For a task that restarts alone,
   * returns the shared listing, because thousands may restart at once; refreshes it if it lacks the
   * newest checkpoint that the task has reported.
   */
  private CheckpointListing foldersFor(@Nullable TaskId task) throws IOException {
    if (task == null) {
      return listing.newListing();
    }
    CheckpointListing cached = listing.cached();
    Optional<CheckpointName> newest = reports.newest(task);
    return newest.isEmpty() || cached.contains(newest.get(), task) ? cached : listing.refresh();
  }

  /**
   * Selects a resume point and marks its set as in use; selects again if the set has been marked
   * for deletion in the meantime.
   */
  private ResumePoint chooseAndUse(int session, CheckpointListing folders, ResumeStrategy strategy)
      throws IOException {
    ResumePolicy policy = config.get(CheckpointOptions.RESUME);
    if (policy == ResumePolicy.NEVER) {
      // No start resumes from a checkpoint, so the sets are listed only to know which old ones may
      // be deleted. Do that in the background, so that the gang's start does not wait for the file
      // system.
      sweeper.submit(() -> deletable.recordListed(folders));
    } else {
      deletable.recordListed(folders);
    }
    while (true) {
      ResumePoint resumePoint =
          strategy.select(
              new ResumeSelection(
                  folders, owners, policy, CheckpointInstructions.trainingHashes(config)));
      if (resumePoint.set().isEmpty() || folders.tryUse(session, resumePoint.set().get())) {
        return resumePoint;
      }
    }
  }

  // ---- Deletion of old checkpoints ----

  @Override
  public void dropOld(boolean complete) {
    if (complete) {
      sweeper.sweep(this::sweep);
    } else {
      sweeper.sweepIfDue(this::sweep, clock.instant());
    }
  }

  void sweep() throws IOException {
    String currentGeneration = CheckpointName.generation(application, currentSession.get());
    new ExpiredCheckpoints(
            listing.newListing(),
            config.get(CheckpointOptions.KEEP),
            deletable,
            inUse,
            currentGeneration)
        .sweep();
  }

  /**
   * At the job's end, deletes old sets that stayed because they were in use or being written: no
   * program reads or writes them any more. Waits for all deletions, up to a timeout.
   */
  public void finish() throws InterruptedException {
    if (inUse.releaseAll()) {
      dropOld(true);
    }
    sweeper.shutdown();
  }
}
