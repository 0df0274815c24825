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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of one job: chooses once for each start of the gang which one it goes on from,
 * tells the loop, and lets old ones go. For use by several threads.
 */
public final class JobCheckpoints implements StartCheckpoints, CheckpointPort {
  private static final Logger LOG = LoggerFactory.getLogger(JobCheckpoints.class);

  private final TonyConfig config;
  private final String application;

  /** Of all sets; null where the programs' own place for checkpoints is no path of Hadoop's. */
  private final Path folder;

  private final CheckpointOwners owners;
  private final EventSink sink;
  private final InstantSource clock;
  private final FileSystemRetries retries;
  private final CheckpointsInUse inUse = new CheckpointsInUse();
  private final DeletableCheckpoints deletable;
  private final CheckpointReports reports = new CheckpointReports();
  private final CheckpointListingCache listing;
  private final CheckpointSweeper sweeper;

  /** The present start of the gang, as far as anybody has asked or told. */
  private final AtomicInteger currentSession = new AtomicInteger();

  /** Of the gang's starts; only the last is kept. */
  private final Map<Integer, ResumePoint> gangResumePoints = new HashMap<>();

  /** Of tasks that start by themselves; only the last of each is kept. */
  private final Map<TaskId, Map.Entry<TaskKey, ResumePoint>> taskResumePoints = new HashMap<>();

  /**
   * Nothing is asked yet. {@code user} is whom the file system knows, and {@code sink} is told what
   * is chosen.
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
   * What an earlier ApplicationMaster has chosen for the gang's present start, which some of its
   * tasks may have been told.
   *
   * @param chosen null where the log does not say
   */
  public synchronized JobCheckpoints withChoice(int session, ResumeDecision chosen) {
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

  /** The same of sets from which tasks go on that started by themselves. */
  public synchronized JobCheckpoints withSetsInUse(Collection<String> sets) {
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
    boolean possible =
        folder != null
            && owners.isOwner(task)
            && CheckpointName.isOf(application, set)
            && set.generation()
                    .compareTo(CheckpointName.generation(application, currentSession.get()))
                <= 0;
    if (!possible) {
      return Optional.empty();
    }
    reports.recordSaved(task, set);
    return Optional.of(CheckpointFolders.dataUri(folder, set, task, name));
  }

  @Override
  public OptionalInt attempt(TaskId task) {
    return owners.isOwner(task) ? OptionalInt.of(reports.attempt(task)) : OptionalInt.empty();
  }

  @Override
  public Optional<Checkpoints> of(StartTask start) {
    currentSession.accumulateAndGet(start.session(), Math::max);
    TaskId task = start.key().task();
    Optional<TaskId> source = owners.source(task);
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

  // ---- The choice ----

  /** One way to choose. */
  private interface ResumeStrategy {
    ResumePoint select(ResumeSelection selection) throws IOException;
  }

  /** All that ask meanwhile wait for the same. */
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
   * Chooses, tells the loop, and returns when that is in the log: the next ApplicationMaster knows
   * of whatever an executor was told.
   *
   * @param task null for the gang
   * @param lastNumber numbers that it is known to have used
   */
  private ResumePoint choose(int session, TaskId task, long lastNumber, ResumeStrategy strategy) {
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
      Thread.currentThread().interrupt(); // the server is closed: nobody is told any more
    }
  }

  /**
   * Tasks that start by themselves may be thousands, and share an answer. Only one that has kept a
   * newer one is not content with it.
   */
  private CheckpointFolders foldersFor(TaskId task) throws IOException {
    if (task == null) {
      return listing.newListing();
    }
    CheckpointFolders cached = listing.cached();
    Optional<CheckpointName> newest = reports.newest(task);
    return newest.isEmpty() || cached.contains(newest.get(), task) ? cached : listing.refresh();
  }

  /** What it goes on from stays; where it is deleted just now, it chooses again. */
  private ResumePoint chooseAndUse(int session, CheckpointFolders folders, ResumeStrategy strategy)
      throws IOException {
    ResumePolicy policy = config.get(CheckpointOptions.RESUME);
    if (policy == ResumePolicy.NEVER) {
      sweeper.submit(() -> deletable.recordListed(folders)); // no start waits for that
    } else {
      deletable.recordListed(folders);
    }
    while (true) {
      ResumePoint resumePoint =
          strategy.select(
              new ResumeSelection(
                  folders, owners, policy, CheckpointInstructions.training(config)));
      if (resumePoint.set().isEmpty() || folders.tryUse(session, resumePoint.set().get())) {
        return resumePoint;
      }
    }
  }

  // ---- What is not needed any more ----

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
   * The job has ended, and no program reads a checkpoint any more: what is to be deleted may be,
   * for a moment.
   */
  public void finish() throws InterruptedException {
    if (inUse.releaseAll()) {
      dropOld(true);
    }
    sweeper.shutdown();
  }
}
