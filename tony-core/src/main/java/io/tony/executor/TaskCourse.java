package io.tony.executor;

import io.tony.clock.Durations;
import io.tony.executor.MasterLink.MasterLost;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.Keeper;
import io.tony.executor.rpc.Beat;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Exit;
import io.tony.executor.rpc.Kept;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * The course of a task through its {@link ExecutorPhase}s, from signal to signal. Used by the one
 * thread that owns the task's life; nothing that it does takes long, but to register, when no
 * program runs. Commands are awaited, reports made and checkpoints copied by threads of their own.
 */
final class TaskCourse implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(TaskCourse.class);

  private final ExecutorSettings settings;
  private final TaskPorts ports;
  private final Dialogue master;
  private final SourceFolder source;
  private final Programs programs;
  private final TaskCheckpoints checkpoints;
  private final Consumer<Signal> signals;

  private ExecutorPhase phase = ExecutorPhase.PREPARING;
  private Command.Start start; // the last one; in RESUMING, the one to come
  private int brings; // of checkpoints, so far
  private Command.AskForCheckpoint wish; // that came before the program runs; null where none did
  private StartedProgram program; // in RUNNING and KEEPING
  private MasterLost lost;

  TaskCourse(
      ExecutorSettings settings,
      TaskPorts ports,
      Dialogue master,
      SourceFolder source,
      Programs programs,
      TaskCheckpoints checkpoints,
      Consumer<Signal> signals) {
    this.settings = settings;
    this.ports = ports;
    this.master = master;
    this.source = source;
    this.programs = programs;
    this.checkpoints = checkpoints;
    this.signals = signals;
  }

  void begin() throws MasterLost, InterruptedException {
    master.register(settings.host(), ports);
    prepare();
  }

  /** No signal is to be taken up any more. */
  boolean isOver() {
    return phase == ExecutorPhase.OVER;
  }

  /** Why there is no ApplicationMaster any more; null as long as that is not known. */
  MasterLost lost() {
    return lost;
  }

  /** The program that runs; null where none does. */
  ProgramRun run() {
    return program == null ? null : program.running();
  }

  /** Whether its program, or what follows that, has gone on for too long. */
  void checkLimits() {
    if (program != null) {
      program.checkLimits();
    }
  }

  /** How long nothing can become of the limits. */
  Duration untilNextCheck() {
    return program == null ? Durations.NO_LIMIT : program.untilNextCheck();
  }

  // ---- Signals ----

  void prepared(IOException failure) {
    if (failure == null) {
      await();
    } else {
      LOG.error("the task's files cannot be prepared", failure);
      cannotRun("its files cannot be prepared: " + failure.getMessage());
      master.awaitCommand(true);
    }
  }

  void commanded(Command command) throws IOException, MasterLost, InterruptedException {
    if (command instanceof Command.Restart again) {
      restart(again);
    } else if (command instanceof Command.Stop end) {
      stop(end);
    } else if (command instanceof Command.AskForCheckpoint wish) {
      askedFor(wish);
    } else if (command instanceof Command.Start begin && phase == ExecutorPhase.WAITING) {
      start(begin);
    } else {
      throw new IllegalStateException("told to start in " + phase);
    }
  }

  private void askedFor(Command.AskForCheckpoint command) {
    LOG.info("asked in " + phase + " for a checkpoint");
    master.awaitCommandAfter(command);
    if (phase == ExecutorPhase.RUNNING) {
      program.ask(command);
    } else {
      wish = command; // of a program that is to come
    }
  }

  private void start(Command.Start command) throws IOException {
    start = command;
    wish = null;
    master.awaitCommand(true);
    if (command.checkpoints().resume() == null) {
      runProgram(null);
    } else {
      LOG.info("the program goes on from the checkpoint " + command.checkpoints().resume().set());
      phase = ExecutorPhase.RESUMING;
      int bring = ++brings;
      checkpoints.bring(
          command.checkpoints(),
          (latest, failure) -> signals.accept(new Signal.Resumed(bring, latest, failure)));
    }
  }

  void resumed(int bring, String latest, Exception failure) throws IOException {
    if (phase != ExecutorPhase.RESUMING || bring != brings) {
      return; // a restart was faster
    }
    if (failure == null) {
      runProgram(latest);
    } else {
      LOG.error("the checkpoint cannot be brought back", failure);
      String why =
          "the checkpoint "
              + start.checkpoints().resume().set()
              + ", from which the program was to go on, could not be brought back: "
              + failure.getMessage();
      cannotRun(
          failure instanceof ClusterStore.Unusable
              ? Exit.withoutCheckpoint(TaskExecutor.EXIT_BROKEN, why)
              : Exit.withoutProgram(TaskExecutor.EXIT_BROKEN, why));
    }
  }

  private void runProgram(String latest) throws IOException {
    ports.handOver();
    try {
      program = StartedProgram.start(start, latest, master.task(), programs, checkpoints, signals);
    } catch (IOException e) {
      LOG.error("the program cannot be run", e);
      cannotRun("the program could not be run: " + e.getMessage());
      return;
    }
    phase = ExecutorPhase.RUNNING;
    if (wish != null) {
      program.ask(wish);
    }
    ProgramRun run = program.running();
    master.started(run.program().pid());
    ports.watchTensorBoard(run, () -> signals.accept(new Signal.TensorBoardListens(run)));
  }

  void tensorBoardListens(ProgramRun ofRun) {
    if (ofRun == run()) {
      master.heartbeat(Beat.TENSORBOARD);
    }
  }

  void kept(Kept checkpoint) {
    LOG.info("checkpoint " + checkpoint.path() + ": " + checkpoint.outcome());
    master.heartbeat(Beat.kept(checkpoint));
  }

  private void stop(Command.Stop command) {
    LOG.info("told to stop in " + phase + ": " + command.reason());
    switch (phase) {
      case PREPARING, WAITING, RESUMING -> {
        checkpoints.giveUp();
        master.exited(Exit.withoutProgram(128 + 15, ""));
        phase = ExecutorPhase.OVER;
      }
      case RUNNING, KEEPING -> program.stop(command.stacks(), settings.stopGrace());
      case ENDED, OVER -> phase = ExecutorPhase.OVER;
    }
  }

  private void restart(Command.Restart command)
      throws IOException, MasterLost, InterruptedException {
    LOG.info("told in " + phase + " to be attempt " + command.attempt() + ": " + command.reason());
    switch (phase) {
      case RUNNING, KEEPING -> {
        program.restart(command);
        master.awaitCommandAs(command); // a stop may come before the end
      }
      case PREPARING, WAITING, RESUMING -> {
        checkpoints.giveUp();
        registerAs(command);
        getReady();
      }
      case ENDED -> {
        ports.renew();
        registerAs(command);
        getReady();
      }
      case OVER -> {} // it is too late for that
    }
  }

  void programEnded(int code) {
    LOG.info("the program exited with code " + code);
    phase = ExecutorPhase.KEEPING;
    Duration hold = lost == null ? settings.holdOnFailure() : Duration.ZERO;
    if (program.ended(code, hold, () -> signals.accept(new Signal.AllKept()))) {
      LOG.info("the container is kept for " + hold.toSeconds() + " s, before that is reported");
      master.heartbeat(Beat.held(program.report(), hold));
    }
  }

  void allKept() throws MasterLost, InterruptedException, IOException {
    StartedProgram ended = program;
    program = null;
    if (lost != null) {
      phase = ExecutorPhase.OVER;
    } else if (ended.again() != null) {
      if (ended.endedByItself()) {
        master.exited(ended.report()); // it may be why the others failed
      }
      ports.renew();
      master.stood(ended.stood());
      registerAs(ended.again());
      awaitStart(); // for which it has asked
    } else {
      master.exited(ended.report());
      phase = ended.isToStop() ? ExecutorPhase.OVER : ExecutorPhase.ENDED;
    }
  }

  void callFailedForGood(Throwable cause) {
    if (!(cause instanceof MasterLost masterLost)) {
      throw new IllegalStateException("the ApplicationMaster cannot be called", cause);
    }
    if (lost != null) {
      return; // both threads that call it find out
    }
    lost = masterLost;
    LOG.error("the task ends", masterLost);
    switch (phase) {
      case RUNNING -> program.running().end();
      case KEEPING -> program.release(); // what was named is there for the job's next application
      case PREPARING, WAITING, RESUMING, ENDED, OVER -> phase = ExecutorPhase.OVER;
    }
  }

  void terminated(Duration grace, CompletableFuture<Keeper> gone) throws InterruptedException {
    programs.close();
    gone.complete(program == null ? null : program.terminate(grace));
    // Until this JVM is gone.
    new CountDownLatch(1).await();
  }

  // ---- What several signals come to ----

  private void prepare() {
    phase = ExecutorPhase.PREPARING;
    source.unpack(failure -> signals.accept(new Signal.Prepared(failure)));
  }

  private void registerAs(Command.Restart command) throws MasterLost, InterruptedException {
    master.registerAs(command, settings.host(), ports);
  }

  private void getReady() {
    if (source.unpacked()) {
      await();
    } else {
      prepare();
    }
  }

  private void await() {
    master.awaitCommand(false);
    awaitStart();
  }

  private void awaitStart() {
    phase = ExecutorPhase.WAITING;
    programs.prepare();
  }

  private void cannotRun(String why) {
    cannotRun(Exit.withoutProgram(TaskExecutor.EXIT_BROKEN, why));
  }

  private void cannotRun(Exit why) {
    master.exited(why);
    phase = ExecutorPhase.ENDED;
  }

  @Override
  public void close() {
    checkpoints.giveUp();
    if (program != null) {
      program.kill();
    }
  }
}
