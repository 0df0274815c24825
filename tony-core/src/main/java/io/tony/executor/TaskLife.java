package io.tony.executor;

import io.tony.clock.Durations;
import io.tony.executor.MasterLink.MasterLost;
import io.tony.executor.checkpoint.Keeper;
import io.tony.executor.rpc.Beat;
import io.tony.executor.rpc.Exit;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A task's life in its container, through all attempts of which the container serves. One thread
 * owns it, has a {@link TaskCourse} take up one {@link Signal} after the other, and looks after
 * what is due at its time: heartbeats and limits.
 */
final class TaskLife {
  private static final ExecutorLog LOG = new ExecutorLog(TaskLife.class);

  private final ExecutorSettings settings;
  private final MasterLink link;
  private final SourceFolder source;
  private final Path workingDirectory;
  private final Path logs;
  private final Programs programs;
  private final TaskCheckpoints checkpoints;
  private final Spawner spawner;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private long nextBeatNanos;

  TaskLife(
      ExecutorSettings settings,
      MasterLink link,
      Path workingDirectory,
      Path logs,
      Programs programs,
      TaskCheckpoints checkpoints,
      Spawner spawner) {
    this.spawner = spawner;
    this.settings = settings;
    this.link = link;
    this.source = new SourceFolder(workingDirectory, spawner);
    this.workingDirectory = workingDirectory;
    this.logs = logs;
    this.programs = programs;
    this.checkpoints = checkpoints;
  }

  /**
   * Returns when the ApplicationMaster needs this executor no more, and no process of the program
   * is left.
   *
   * @throws MasterLost when there is no ApplicationMaster any more
   */
  void live() throws IOException, MasterLost, InterruptedException {
    try (TaskPorts ports = TaskPorts.reserve(settings, spawner);
        TaskTunnels tunnels =
            new TaskTunnels(link, settings.key(), programs, ports::task, spawner);
        Dialogue master =
            new Dialogue(link, settings.key(), programs, tunnels, signals::add, spawner);
        TaskCourse course =
            new TaskCourse(settings, ports, master, source, programs, checkpoints, signals::add)) {
      boolean fit = fit(master);
      if (fit) {
        course.begin();
      }
      nextBeatNanos = System.nanoTime() + settings.heartbeatInterval().toNanos();
      while (fit && !course.isOver()) {
        Signal signal = signals.poll(untilNextTick(course).toNanos(), TimeUnit.NANOSECONDS);
        if (signal != null) {
          signal.takeUp(course);
        }
        tick(course, master);
      }
      if (course.lost() == null) {
        master.finish();
        takeUpFailures(course);
      }
      if (course.lost() != null) {
        throw course.lost();
      }
    }
  }

  /** Before the task registers: the others wait for it, and shall not start without it. */
  private boolean fit(Dialogue master) throws IOException, InterruptedException {
    String problem = unfit();
    if (!problem.isEmpty()) {
      LOG.info("the container is not fit for the task: " + problem);
      master.exited(Exit.ofPreflight(TaskExecutor.EXIT_BROKEN, problem));
    }
    return problem.isEmpty();
  }

  private String unfit() throws IOException, InterruptedException {
    String problem =
        settings.networkInterface().isEmpty()
            ? ""
            : NodeInterface.problem(settings.networkInterface(), settings.master());
    if (problem.isEmpty() && !settings.preflight().check().isEmpty()) {
      problem = source.unpackNow(); // the check may be one of its files
      if (problem.isEmpty()) {
        problem = new PreflightRun(settings, workingDirectory, logs, spawner).problem();
      }
    }
    return problem;
  }

  /** Of what failed since the loop was left. */
  private void takeUpFailures(TaskCourse course) {
    for (Signal signal : signals) {
      if (signal instanceof Signal.CallFailed failed) {
        failed.takeUp(course);
      }
    }
  }

  /**
   * SIGTERM from YARN, on any thread: the program gets the little time that there is. Nothing is
   * reported any more: YARN knows why it ends this container. Returns after twice that time at
   * most; where checkpoints are left to keep, when that is done: YARN waits no longer than it
   * likes.
   *
   * @param grace for the program to end by itself
   */
  void terminate(Duration grace) throws InterruptedException {
    CompletableFuture<Keeper> gone = new CompletableFuture<>();
    signals.add(new Signal.Terminated(grace, gone));
    try {
      Keeper keeper = gone.get(2 * grace.toMillis(), TimeUnit.MILLISECONDS);
      if (keeper != null) {
        keeper.awaitEnd();
      }
    } catch (TimeoutException | ExecutionException e) {
      LOG.info("the program did not end within " + 2 * grace.toMillis() + " ms of SIGTERM");
    }
  }

  // ---- Time ----

  private void tick(TaskCourse course, Dialogue master) {
    course.checkLimits();
    if (System.nanoTime() - nextBeatNanos >= 0) {
      nextBeatNanos = System.nanoTime() + settings.heartbeatInterval().toNanos();
      if (!master.speaks()) { // what is being said shows that this executor lives
        ProgramRun run = course.run();
        master.heartbeat(run == null ? Beat.NO_NEWS : run.news());
      }
    }
  }

  private Duration untilNextTick(TaskCourse course) {
    Duration beat = Duration.ofNanos(nextBeatNanos - System.nanoTime());
    return Durations.shorter(beat, course.untilNextCheck());
  }
}
