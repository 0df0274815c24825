package io.tony.executor;

import io.tony.clock.Durations;
import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
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
final class TaskStateMachine implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(TaskStateMachine.class);

  private final ExecutorSettings settings;
  private final TaskPorts ports;
  private final MasterClient master;
  private final SourceFolder source;
  private final ProgramLauncher launcher;
  private final TaskCheckpoints checkpoints;
  private final Consumer<ExecutorEvent> events;

  private ExecutorPhase phase = ExecutorPhase.PREPARING;
  private ExecutorCommand.Start start; // the last one; in RESUMING, the one to come
  private int restoreCount; // of checkpoints, so far
  private ExecutorCommand.AskForCheckpoint
      pendingCheckpointRequest; // that came before the program runs; null where none did
  private ProgramSession session; // in RUNNING and KEEPING
  private MasterLostException masterLost;

  TaskStateMachine(
      ExecutorSettings settings,
      TaskPorts ports,
      MasterClient master,
      SourceFolder source,
      ProgramLauncher launcher,
      TaskCheckpoints checkpoints,
      Consumer<ExecutorEvent> events) {
    this.settings = settings;
    this.ports = ports;
    this.master = master;
    this.source = source;
    this.launcher = launcher;
    this.checkpoints = checkpoints;
    this.events = events;
  }

  void begin() throws MasterLostException, InterruptedException {
    master.register(settings.host(), ports);
    prepare();
  }

  /** No signal is to be taken up any more. */
  boolean isFinished() {
    return phase == ExecutorPhase.OVER;
  }

  /** Why there is no ApplicationMaster any more; null as long as that is not known. */
  MasterLostException masterLost() {
    return masterLost;
  }

  /** The program that runs; null where none does. */
  ProgramProcess runningProgram() {
    return session == null ? null : session.runningProgram();
  }

  /** Whether its program, or what follows that, has gone on for too long. */
  void checkLimits() {
    if (session != null) {
      session.checkLimits();
    }
  }

  /** How long nothing can become of the limits. */
  Duration untilNextCheck() {
    return session == null ? Durations.NO_LIMIT : session.untilNextCheck();
  }

  // ---- Signals ----

  void onSourceUnpacked(IOException failure) {
    if (failure == null) {
      awaitCommand();
    } else {
      LOG.error("the task's files cannot be prepared", failure);
      reportCannotRun("its files cannot be prepared: " + failure.getMessage());
      master.awaitCommand(true);
    }
  }

  void onCommand(ExecutorCommand command)
      throws IOException, MasterLostException, InterruptedException {
    if (command instanceof ExecutorCommand.Restart restartCommand) {
      restart(restartCommand);
    } else if (command instanceof ExecutorCommand.Stop stopCommand) {
      stop(stopCommand);
    } else if (command instanceof ExecutorCommand.AskForCheckpoint checkpointRequest) {
      askForCheckpoint(checkpointRequest);
    } else if (command instanceof ExecutorCommand.Start startCommand
        && phase == ExecutorPhase.WAITING) {
      start(startCommand);
    } else {
      throw new IllegalStateException("told to start in " + phase);
    }
  }

  private void askForCheckpoint(ExecutorCommand.AskForCheckpoint command) {
    LOG.info("asked in " + phase + " for a checkpoint");
    master.awaitCommandAfter(command);
    if (phase == ExecutorPhase.RUNNING) {
      session.askForCheckpoint(command);
    } else {
      pendingCheckpointRequest = command; // of a program that is to come
    }
  }

  private void start(ExecutorCommand.Start command) throws IOException {
    start = command;
    pendingCheckpointRequest = null;
    master.awaitCommand(true);
    if (command.checkpoints().resume() == null) {
      runProgram(null);
    } else {
      LOG.info(
          "the program goes on from the checkpoint "
              + command.checkpoints().resume().checkpointName());
      phase = ExecutorPhase.RESUMING;
      int restoreNumber = ++restoreCount;
      checkpoints.restore(
          command.checkpoints(),
          (checkpointPath, failure) ->
              events.accept(
                  new ExecutorEvent.CheckpointRestored(restoreNumber, checkpointPath, failure)));
    }
  }

  void onCheckpointRestored(int restoreNumber, String checkpointPath, Exception failure)
      throws IOException {
    if (phase != ExecutorPhase.RESUMING || restoreNumber != restoreCount) {
      return; // a restart was faster
    }
    if (failure == null) {
      runProgram(checkpointPath);
    } else {
      LOG.error("the checkpoint cannot be brought back", failure);
      String why =
          "the checkpoint "
              + start.checkpoints().resume().checkpointName()
              + ", from which the program was to go on, could not be brought back: "
              + failure.getMessage();
      reportCannotRun(
          failure instanceof ClusterStore.UnusableCheckpointException
              ? ProgramExit.withoutCheckpoint(TaskExecutor.EXIT_BROKEN, why)
              : ProgramExit.withoutProgram(TaskExecutor.EXIT_BROKEN, why));
    }
  }

  private void runProgram(String checkpointPath) throws IOException {
    ports.handOver();
    try {
      session =
          ProgramSession.start(start, checkpointPath, master.task(), launcher, checkpoints, events);
    } catch (IOException e) {
      LOG.error("the program cannot be run", e);
      reportCannotRun("the program could not be run: " + e.getMessage());
      return;
    }
    phase = ExecutorPhase.RUNNING;
    if (pendingCheckpointRequest != null) {
      session.askForCheckpoint(pendingCheckpointRequest);
    }
    ProgramProcess running = session.runningProgram();
    master.reportStart(running.processGroup().pid());
    ports.watchTensorBoard(
        running, () -> events.accept(new ExecutorEvent.TensorBoardListens(running)));
  }

  void onTensorBoardListens(ProgramProcess listeningProgram) {
    if (listeningProgram == runningProgram()) {
      master.sendHeartbeat(Heartbeat.TENSORBOARD_LISTENS);
    }
  }

  void onCheckpointReported(CheckpointOutcome outcome) {
    LOG.info("checkpoint " + outcome.path() + ": " + outcome.summary());
    master.sendHeartbeat(Heartbeat.ofCheckpoint(outcome));
  }

  private void stop(ExecutorCommand.Stop command) {
    LOG.info("told to stop in " + phase + ": " + command.reason());
    switch (phase) {
      case PREPARING, WAITING, RESUMING -> {
        checkpoints.cancelRestore();
        master.reportExit(ProgramExit.withoutProgram(128 + 15, ""));
        phase = ExecutorPhase.OVER;
      }
      case RUNNING, KEEPING -> session.stop(command.stacks(), settings.stopGrace());
      case ENDED, OVER -> phase = ExecutorPhase.OVER;
    }
  }

  private void restart(ExecutorCommand.Restart command)
      throws IOException, MasterLostException, InterruptedException {
    LOG.info("told in " + phase + " to be attempt " + command.attempt() + ": " + command.reason());
    switch (phase) {
      case RUNNING, KEEPING -> {
        session.restart(command);
        master.awaitCommandAs(command); // a stop may come before the end
      }
      case PREPARING, WAITING, RESUMING -> {
        checkpoints.cancelRestore();
        registerAs(command);
        ensurePrepared();
      }
      case ENDED -> {
        ports.renew();
        registerAs(command);
        ensurePrepared();
      }
      case OVER -> {} // it is too late for that
    }
  }

  void onProgramEnded(int code) {
    LOG.info("the program exited with code " + code);
    phase = ExecutorPhase.KEEPING;
    Duration hold = masterLost == null ? settings.holdOnFailure() : Duration.ZERO;
    if (session.onEnded(code, hold, () -> events.accept(new ExecutorEvent.UploadsFinished()))) {
      LOG.info("the container is kept for " + hold.toSeconds() + " s, before that is reported");
      master.sendHeartbeat(Heartbeat.ofHold(session.exit(), hold));
    }
  }

  void onUploadsFinished() throws MasterLostException, InterruptedException, IOException {
    ProgramSession endedSession = session;
    session = null;
    if (masterLost != null) {
      phase = ExecutorPhase.OVER;
    } else if (endedSession.nextAttempt() != null) {
      if (endedSession.endedByItself()) {
        master.reportExit(endedSession.exit()); // it may be why the others failed
      }
      ports.renew();
      master.reportHangLocation(endedSession.hangLocation());
      registerAs(endedSession.nextAttempt());
      enterWaiting(); // for which it has asked
    } else {
      master.reportExit(endedSession.exit());
      phase = endedSession.isStopping() ? ExecutorPhase.OVER : ExecutorPhase.ENDED;
    }
  }

  void onCallFailed(Throwable cause) {
    if (!(cause instanceof MasterLostException failure)) {
      throw new IllegalStateException("the ApplicationMaster cannot be called", cause);
    }
    if (masterLost != null) {
      return; // both threads that call it find out
    }
    masterLost = failure;
    LOG.error("the task ends", failure);
    switch (phase) {
      case RUNNING -> session.runningProgram().stop();
      case KEEPING -> session.release(); // what was named is there for the job's next application
      case PREPARING, WAITING, RESUMING, ENDED, OVER -> phase = ExecutorPhase.OVER;
    }
  }

  void onTerminationRequested(Duration grace, CompletableFuture<CheckpointUploader> completion)
      throws InterruptedException {
    launcher.close();
    completion.complete(session == null ? null : session.terminate(grace));
    // Until this JVM is gone.
    new CountDownLatch(1).await();
  }

  // ---- What several signals come to ----

  private void prepare() {
    phase = ExecutorPhase.PREPARING;
    source.unpack(failure -> events.accept(new ExecutorEvent.SourceUnpacked(failure)));
  }

  private void registerAs(ExecutorCommand.Restart command)
      throws MasterLostException, InterruptedException {
    master.registerAs(command, settings.host(), ports);
  }

  private void ensurePrepared() {
    if (source.isUnpacked()) {
      awaitCommand();
    } else {
      prepare();
    }
  }

  private void awaitCommand() {
    master.awaitCommand(false);
    enterWaiting();
  }

  private void enterWaiting() {
    phase = ExecutorPhase.WAITING;
    launcher.prepare();
  }

  private void reportCannotRun(String why) {
    reportCannotRun(ProgramExit.withoutProgram(TaskExecutor.EXIT_BROKEN, why));
  }

  private void reportCannotRun(ProgramExit why) {
    master.reportExit(why);
    phase = ExecutorPhase.ENDED;
  }

  @Override
  public void close() {
    checkpoints.cancelRestore();
    if (session != null) {
      session.kill();
    }
  }
}
