package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import io.tony.executor.rpc.Beat;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Exit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A task's life in its container, through all attempts of which the container serves. One thread
 * owns it, and takes up one {@link Signal} after the other; nothing that it does takes long, but to
 * register, when no program runs. Commands are awaited, and reports made, by threads of their own.
 */
final class TaskLife {
  private static final ExecutorLog LOG = new ExecutorLog(TaskLife.class);

  private final ExecutorSettings settings;
  private final MasterLink link;
  private final SourceFolder source;
  private final Programs programs;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

  private TaskPorts ports;
  private Dialogue master;
  private ExecutorPhase phase = ExecutorPhase.PREPARING;
  private ProgramRun run; // in RUNNING
  private CompletableFuture<Void> runEnded;
  private Command.Restart restart; // that came in RUNNING
  private boolean stopping; // a stop came in RUNNING
  private MasterLost lost;
  private long nextBeatNanos;

  TaskLife(ExecutorSettings settings, MasterLink link, Path workingDirectory, Programs programs) {
    this.settings = settings;
    this.link = link;
    this.source = new SourceFolder(workingDirectory);
    this.programs = programs;
  }

  /**
   * Returns when the ApplicationMaster needs this executor no more, and no process of the program
   * is left.
   *
   * @throws MasterLost when there is no ApplicationMaster any more
   */
  void live() throws IOException, MasterLost, InterruptedException {
    try (TaskPorts reserved = TaskPorts.reserve(settings);
        Dialogue dialogue = new Dialogue(link, settings.key(), signals::add)) {
      ports = reserved;
      master = dialogue;
      master.register(settings.host(), ports);
      source.unpack(failure -> signals.add(new Signal.Prepared(failure)));
      nextBeatNanos = System.nanoTime() + settings.heartbeatInterval().toNanos();
      while (phase != ExecutorPhase.OVER) {
        Signal signal = signals.poll(untilNextTick().toNanos(), TimeUnit.NANOSECONDS);
        if (signal != null) {
          signal.takeUp(this);
        }
        tick();
      }
      if (lost == null) {
        master.finish();
        takeUpFailures();
      }
    } finally {
      if (run != null) {
        run.program().kill();
      }
    }
    if (lost != null) {
      throw lost;
    }
  }

  /**
   * SIGTERM from YARN, on any thread: the program gets the little time that there is. Nothing is
   * reported any more: YARN knows why it ends this container. Returns after twice that time at
   * most.
   *
   * @param grace for the program to end by itself
   */
  void terminate(Duration grace) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    signals.add(new Signal.Terminated(grace, done));
    if (!done.await(2 * grace.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.info("the program did not end within " + 2 * grace.toMillis() + " ms of SIGTERM");
    }
  }

  // ---- Signals ----

  void prepared(IOException failure) {
    if (failure == null) {
      await();
    } else {
      LOG.error("the task's files cannot be prepared", failure);
      cannotRun("its files cannot be prepared: " + failure.getMessage());
    }
  }

  void commanded(Command command) throws IOException, MasterLost, InterruptedException {
    if (command instanceof Command.Restart again) {
      restart(again);
    } else if (command instanceof Command.Stop end) {
      stop(end);
    } else if (command instanceof Command.Start start && phase == ExecutorPhase.WAITING) {
      start(start);
    } else {
      throw new IllegalStateException("told to start in " + phase);
    }
  }

  private void start(Command.Start start) throws IOException {
    ports.handOver();
    try {
      run = programs.start(start);
    } catch (IOException e) {
      LOG.error("the program cannot be run", e);
      cannotRun("the program could not be run: " + e.getMessage());
      return;
    }
    phase = ExecutorPhase.RUNNING;
    runEnded = run.ended().thenAccept(code -> signals.add(new Signal.ProgramEnded(code)));
    master.started(run.program().pid());
    master.awaitCommand(true);
    watchTensorBoard(run);
  }

  void tensorBoardListens(ProgramRun ofRun) {
    if (ofRun == run) {
      master.heartbeat(Beat.TENSORBOARD);
    }
  }

  private void watchTensorBoard(ProgramRun started) {
    if (ports.tensorBoard() > 0) {
      new PortWatch(settings.host(), ports.tensorBoard())
          .begin(started.ended(), () -> signals.add(new Signal.TensorBoardListens(started)));
    }
  }

  private void stop(Command.Stop command) {
    LOG.info("told to stop in " + phase + ": " + command.reason());
    switch (phase) {
      case PREPARING, WAITING -> {
        master.exited(Exit.withoutProgram(128 + 15, ""));
        phase = ExecutorPhase.OVER;
      }
      case RUNNING -> {
        stopping = true;
        run.end(command.stacks());
      }
      case ENDED, OVER -> phase = ExecutorPhase.OVER;
    }
  }

  private void restart(Command.Restart command)
      throws IOException, MasterLost, InterruptedException {
    LOG.info(
        "told in "
            + phase
            + " to start again as attempt "
            + command.attempt()
            + ": "
            + command.reason());
    switch (phase) {
      case RUNNING -> {
        restart = command;
        run.end(command.stacks());
        // Nothing else is awaited: a stop comes to the attempt that follows.
      }
      case PREPARING, WAITING -> registerAs(command);
      case ENDED -> {
        ports.renew();
        registerAs(command);
      }
      case OVER -> {} // it is too late for that
    }
  }

  void programEnded(int code) throws IOException, MasterLost, InterruptedException {
    LOG.info("the program exited with code " + code);
    ProgramRun ended = run;
    run = null;
    if (lost != null) {
      phase = ExecutorPhase.OVER;
    } else if (restart != null) {
      Command.Restart command = restart;
      restart = null;
      if (ended.endedByItself()) {
        master.exited(ended.report(code)); // it may be why the others failed
      }
      ports.renew();
      master.stood(ended.stood());
      registerAs(command);
    } else {
      master.exited(ended.report(code));
      phase = stopping ? ExecutorPhase.OVER : ExecutorPhase.ENDED;
    }
  }

  void callFailedForGood(Exception cause) {
    if (!(cause instanceof MasterLost masterLost)) {
      throw new IllegalStateException("the ApplicationMaster cannot be called", cause);
    }
    if (lost != null) {
      return; // both threads that call it find out
    }
    lost = masterLost;
    LOG.error("the task ends", masterLost);
    if (run == null) {
      phase = ExecutorPhase.OVER;
    } else {
      run.end();
    }
  }

  /** Of what failed since the loop was left. */
  private void takeUpFailures() {
    for (Signal signal : signals) {
      if (signal instanceof Signal.CallFailed failed) {
        callFailedForGood(failed.cause());
      }
    }
  }

  void terminated(Duration grace, CountDownLatch done) throws InterruptedException {
    programs.close();
    if (run != null) {
      run.program().terminate();
      try {
        runEnded.get(grace.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException | ExecutionException e) {
        run.program().kill();
      }
    }
    done.countDown();
    // Until this JVM is gone.
    new CountDownLatch(1).await();
  }

  // ---- What several signals come to ----

  private void registerAs(Command.Restart command) throws MasterLost, InterruptedException {
    master.registerAs(command.attempt(), settings.host(), ports);
    if (source.unpacked()) {
      await();
    } else {
      phase = ExecutorPhase.PREPARING;
      source.unpack(failure -> signals.add(new Signal.Prepared(failure)));
    }
  }

  private void await() {
    phase = ExecutorPhase.WAITING;
    master.awaitCommand(false);
    programs.prepare();
  }

  private void cannotRun(String why) {
    master.exited(Exit.withoutProgram(TaskExecutor.EXIT_BROKEN, why));
    phase = ExecutorPhase.ENDED;
    master.awaitCommand(true);
  }

  // ---- Time ----

  private void tick() {
    if (run != null) {
      run.checkLimits();
    }
    if (System.nanoTime() - nextBeatNanos >= 0) {
      beat();
    }
  }

  private void beat() {
    nextBeatNanos = System.nanoTime() + settings.heartbeatInterval().toNanos();
    if (!master.speaks()) { // what is being said shows that this executor lives
      master.heartbeat(run == null ? Beat.NO_NEWS : run.news());
    }
  }

  private Duration untilNextTick() {
    Duration beat = Duration.ofNanos(nextBeatNanos - System.nanoTime());
    Duration check = run == null ? beat : run.untilNextCheck();
    return beat.compareTo(check) < 0 ? beat : check;
  }
}
