package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
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
  private StartedProgram program; // in RUNNING and KEEPING
  private Command.Restart restart; // that came in RUNNING or KEEPING
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
    } else if (command instanceof Command.Start begin && phase == ExecutorPhase.WAITING) {
      start(begin);
    } else {
      throw new IllegalStateException("told to start in " + phase);
    }
  }

  private void start(Command.Start command) throws IOException {
    start = command;
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
      cannotRun(
          "the checkpoint "
              + start.checkpoints().resume().set()
              + ", from which the program was to go on, could not be brought back: "
              + failure.getMessage());
    }
  }

  private void runProgram(String latest) throws IOException {
    ports.handOver();
    ProgramRun run;
    try {
      run = programs.start(start, checkpoints.begin(start.checkpoints(), latest));
    } catch (IOException e) {
      LOG.error("the program cannot be run", e);
      cannotRun("the program could not be run: " + e.getMessage());
      return;
    }
    phase = ExecutorPhase.RUNNING;
    program =
        new StartedProgram(
            run,
            checkpoints.keep(
                start.checkpoints(), kept -> signals.accept(new Signal.CheckpointKept(kept))),
            Duration.ofMillis(start.checkpoints().copyTimeoutMs()),
            code -> signals.accept(new Signal.ProgramEnded(code)));
    master.started(run.program().pid());
    watchTensorBoard(run);
  }

  void tensorBoardListens(ProgramRun ofRun) {
    if (ofRun == run()) {
      master.heartbeat(Beat.TENSORBOARD);
    }
  }

  private void watchTensorBoard(ProgramRun started) {
    if (ports.tensorBoard() > 0) {
      new PortWatch(settings.host(), ports.tensorBoard())
          .begin(started.ended(), () -> signals.accept(new Signal.TensorBoardListens(started)));
    }
  }

  void kept(Kept checkpoint) {
    if (checkpoint.problem() == null) {
      LOG.info("kept " + checkpoint.path() + " as " + checkpoint.kept());
    } else {
      LOG.warn("did not keep " + checkpoint.path() + ": " + checkpoint.problem());
    }
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
    LOG.info(
        "told in "
            + phase
            + " to start again as attempt "
            + command.attempt()
            + ": "
            + command.reason());
    // Where it waits for an end, nothing else is awaited: a stop comes to the attempt that follows.
    switch (phase) {
      case RUNNING -> {
        restart = command;
        program.running().end(command.stacks());
      }
      case KEEPING -> restart = command;
      case PREPARING, WAITING, RESUMING -> {
        checkpoints.giveUp();
        registerAs(command);
      }
      case ENDED -> {
        ports.renew();
        registerAs(command);
      }
      case OVER -> {} // it is too late for that
    }
  }

  void programEnded(int code) {
    LOG.info("the program exited with code " + code);
    phase = ExecutorPhase.KEEPING;
    program.ended(code, () -> signals.accept(new Signal.AllKept()));
  }

  void allKept() throws MasterLost, InterruptedException, IOException {
    StartedProgram ended = program;
    program = null;
    if (lost != null) {
      phase = ExecutorPhase.OVER;
    } else if (restart != null) {
      Command.Restart command = restart;
      restart = null;
      if (ended.endedByItself()) {
        master.exited(ended.report()); // it may be why the others failed
      }
      ports.renew();
      master.stood(ended.stood());
      registerAs(command);
    } else {
      master.exited(ended.report());
      phase = ended.isToStop() ? ExecutorPhase.OVER : ExecutorPhase.ENDED;
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
    switch (phase) {
      case RUNNING -> program.running().end();
      case KEEPING -> {} // what was named is there for the job's next application
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
    master.registerAs(command.attempt(), settings.host(), ports);
    if (source.unpacked()) {
      await();
    } else {
      prepare();
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
  }

  @Override
  public void close() {
    checkpoints.giveUp();
    if (program != null) {
      program.kill();
    }
  }
}
