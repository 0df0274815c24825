package io.tony.am.checkpoint;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.CheckpointPort;
import io.tony.am.machine.Event;
import io.tony.checkpoint.SetName;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ResumePolicy;
import io.tony.fact.CheckpointFact.Resumes;
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
public final class JobCheckpoints implements TaskCheckpoints, CheckpointPort {
  private static final Logger LOG = LoggerFactory.getLogger(JobCheckpoints.class);

  private final TonyConfig config;
  private final String application;

  /** Of all sets; null where the programs' own place for checkpoints is no path of Hadoop's. */
  private final Path folder;

  private final Keepers keepers;
  private final EventSink sink;
  private final InstantSource clock;
  private final Patience patience;
  private final SetsInUse inUse = new SetsInUse();
  private final OwnSets own;
  private final Heard heard = new Heard();
  private final Views views;
  private final Sweeper sweeper;

  /** The present start of the gang, as far as anybody has asked or told. */
  private final AtomicInteger present = new AtomicInteger();

  /** Of the gang's starts; only the last is kept. */
  private final Map<Integer, Choice> ofGang = new HashMap<>();

  /** Of tasks that start by themselves; only the last of each is kept. */
  private final Map<TaskId, Map.Entry<TaskKey, Choice>> alone = new HashMap<>();

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
    this(conf, user, config, job, application, sink, clock, Times.OF_A_JOB);
  }

  JobCheckpoints(
      Configuration conf,
      UserGroupInformation user,
      TonyConfig config,
      JobSpec job,
      String application,
      EventSink sink,
      InstantSource clock,
      Times times) {
    this.config = config;
    this.application = application;
    this.folder = Told.folder(config.get(JobOptions.CHECKPOINT_DIR));
    this.keepers = Keepers.of(job, config.get(CheckpointOptions.ROLES));
    this.sink = sink;
    this.clock = clock;
    this.patience = new Patience(user, times.patience(), times.pause());
    this.own = new OwnSets(application);
    this.views = new Views(conf, folder, inUse, clock);
    this.sweeper = new Sweeper(patience, times.deletion());
  }

  /**
   * What an earlier ApplicationMaster has chosen for the gang's present start, which some of its
   * tasks may have been told.
   *
   * @param chosen null where the log does not say
   */
  public synchronized JobCheckpoints knowing(int session, Resumes chosen) {
    present.set(session);
    inUse.began(session);
    if (session > 0 || chosen != null) {
      own.chosenBefore(session, chosen);
    }
    if (chosen != null) {
      Choice choice = Choice.of(chosen);
      choice.set().ifPresent(set -> inUse.use(session, set, inUse.now()));
      ofGang.put(session, choice);
    }
    return this;
  }

  /** The same of sets from which tasks go on that started by themselves. */
  public synchronized JobCheckpoints using(Collection<String> sets) {
    for (String name : sets) {
      SetName.parse(name).ifPresent(set -> inUse.use(present.get(), set, inUse.now()));
    }
    return this;
  }

  @Override
  public int keepers() {
    return keepers.all().size();
  }

  @Override
  public Optional<String> kept(TaskId task, SetName set, String name) {
    boolean possible =
        folder != null
            && keepers.keeps(task)
            && SetName.isOf(application, set)
            && set.generation().compareTo(SetName.generation(application, present.get())) <= 0;
    if (!possible) {
      return Optional.empty();
    }
    heard.kept(task, set);
    return Optional.of(SetFolders.kept(folder, set, task, name));
  }

  @Override
  public OptionalInt attempt(TaskId task) {
    return keepers.keeps(task) ? OptionalInt.of(heard.attempt(task)) : OptionalInt.empty();
  }

  @Override
  public Optional<Checkpoints> of(StartTask start) {
    present.accumulateAndGet(start.session(), Math::max);
    TaskId task = start.key().task();
    Optional<TaskId> source = keepers.source(task);
    if (folder == null || (source.isEmpty() && !keepers.keeps(task))) {
      return Optional.empty();
    }
    if (keepers.keeps(task)) {
      heard.started(start.key());
    }
    Choice choice = start.alone() ? alone(start, source.orElse(task)) : ofGang(start.session());
    return choice.usable()
        ? Optional.of(
            new Told(config, application, folder, keepers)
                .of(task, start.session(), source.orElse(task), choice))
        : Optional.empty();
  }

  // ---- The choice ----

  /** One way to choose. */
  private interface Way {
    Choice by(Choosing choosing) throws IOException;
  }

  /** All that ask meanwhile wait for the same. */
  private synchronized Choice ofGang(int session) {
    Choice known = ofGang.get(session);
    if (known == null) {
      inUse.began(session);
      String generation = SetName.generation(application, session);
      known = choose(session, null, 0, choosing -> choosing.forGang(generation));
      ofGang.clear();
      ofGang.put(session, known);
    }
    return known;
  }

  private synchronized Choice alone(StartTask start, TaskId source) {
    TaskKey key = start.key();
    Map.Entry<TaskKey, Choice> known = alone.get(key.task());
    if (known == null || !known.getKey().equals(key)) {
      String generation = SetName.generation(application, start.session());
      long used = heard.counted(key.task(), generation);
      Way way = choosing -> choosing.forTask(key.task(), source, generation, used);
      known = Map.entry(key, choose(start.session(), key.task(), used, way));
      alone.put(key.task(), known);
    }
    return known.getValue();
  }

  /**
   * Chooses, tells the loop, and returns when that is in the log: the next ApplicationMaster knows
   * of whatever an executor was told.
   *
   * @param task null for the gang
   * @param used numbers that it is known to have used
   */
  private Choice choose(int session, TaskId task, long used, Way way) {
    Choice choice;
    try {
      if (task != null) {
        views.requireNoFailure();
      }
      choice = patience.ask(() -> inUse(session, view(task), way));
      views.succeeded();
    } catch (UnsupportedFileSystemException | RuntimeException e) {
      LOG.warn("Programs keep their checkpoints themselves: {}", e.toString());
      return Choice.UNUSABLE;
    } catch (IOException e) {
      LOG.warn("The checkpoints in {} cannot be listed: {}", folder, e.toString());
      views.failed(e);
      own.notSeen(session);
      choice =
          Choice.of(Resumes.clean(task, "the checkpoints in " + folder + " cannot be listed: " + e))
              .countingFrom(used);
    }
    choice
        .told()
        .ifPresent(told -> record(new Event.CheckpointChosen(clock.instant(), session, told)));
    return choice;
  }

  private void record(Event.CheckpointChosen chosen) {
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
  private SetFolders view(TaskId task) throws IOException {
    if (task == null) {
      return views.fresh();
    }
    SetFolders shared = views.shared();
    Optional<SetName> newest = heard.newest(task);
    return newest.isEmpty() || shared.has(newest.get(), task) ? shared : views.renewed();
  }

  /** What it goes on from stays; where it is deleted just now, it chooses again. */
  private Choice inUse(int session, SetFolders folders, Way way) throws IOException {
    ResumePolicy policy = config.get(CheckpointOptions.RESUME);
    if (policy == ResumePolicy.NEVER) {
      sweeper.begin(() -> own.seen(folders)); // no start waits for that
    } else {
      own.seen(folders);
    }
    while (true) {
      Choice choice = way.by(new Choosing(folders, keepers, policy, Told.training(config)));
      if (choice.set().isEmpty() || folders.use(session, choice.set().get())) {
        return choice;
      }
    }
  }

  // ---- What is not needed any more ----

  @Override
  public void dropOld(boolean whole) {
    if (whole) {
      sweeper.sweep(this::sweep);
    } else {
      sweeper.sweepAtTimes(this::sweep, clock.instant());
    }
  }

  void sweep() throws IOException {
    String now = SetName.generation(application, present.get());
    new OldSets(views.fresh(), config.get(CheckpointOptions.KEEP), own, inUse, now).sweep();
  }

  /**
   * The job has ended, and no program reads a checkpoint any more: what is to be deleted may be,
   * for a moment.
   */
  public void rest() throws InterruptedException {
    if (inUse.over()) {
      dropOld(true);
    }
    sweeper.rest();
  }
}
