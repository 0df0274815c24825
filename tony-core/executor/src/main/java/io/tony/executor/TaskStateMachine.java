package io.tony.executor;

import io.tony.clock.Durations;
import io.tony.executor.ExecutorState.Idle;
import io.tony.executor.ExecutorState.Resuming;
import io.tony.executor.ExecutorState.Running;
import io.tony.executor.ExecutorState.Uploading;
import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.CheckpointPlan;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the executor does at each event: moves its task through the {@link ExecutorState}s.
 * Used only by the thread that runs {@link ExecutorLoop}. Two things block this thread for long:
 * the registration of an attempt, while no program runs, and {@link #onTerminationRequested}, which
 * never returns. Other threads await commands, send reports and copy checkpoints.
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

  private ExecutorState state = Idle.PREPARING;
  private int restoreCount; // number of checkpoint downloads so far
  // why no ApplicationMaster can be reached any more; null while one can
  private @Nullable MasterLostException masterLost;

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

  /** Returns true in the final state: the executor can end. */
  boolean isFinished() {
    return state == Idle.FINISHED;
  }

  /**
   * Returns the exception that tells why no ApplicationMaster can be reached any more; null while
   * one can.
   */
  @Nullable MasterLostException masterLost() {
    return masterLost;
  }

  /** Returns the running program; null if none runs. */
  @Nullable ProgramProcess runningProgram() {
    ProgramSession session = session();
    return session == null ? null : session.runningProgram();
  }

  /**
   * Acts on each time limit that has passed: those of the running program or, after its end, those
   * of the container's hold and of the checkpoint upload.
   */
  void checkLimits() {
    if (session() != null) {
      session().checkLimits();
    }
  }

  /** Returns the time until {@link #checkLimits} must be called again. */
  Duration untilNextCheck() {
    return session() == null ? Durations.NO_LIMIT : session().untilNextCheck();
  }

  // ---- Events ----

  void onSourceUnpacked(@Nullable IOException failure) {
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
    } else if (command instanceof ExecutorCommand.Start startCommand && state == Idle.WAITING) {
      start(startCommand);
    } else {
      throw new IllegalStateException("the command to start came in " + state);
    }
  }

  private void askForCheckpoint(ExecutorCommand.AskForCheckpoint command) {
    LOG.info("asked in " + state + " for a checkpoint");
    master.awaitCommandAfter(command);
    if (state instanceof Running running) {
      running.session().askForCheckpoint(command);
    } else if (state instanceof Resuming resuming) {
      state = resuming.withRequest(command);
    }
  }

  private void start(ExecutorCommand.Start command) throws IOException {
    master.awaitCommand(true);
    CheckpointPlan.Resume resume = command.checkpoints().resume();
    if (resume == null) {
      runProgram(command, null, null);
    } else {
      LOG.info("the program goes on from the checkpoint " + resume.checkpointName());
      int restoreNumber = ++restoreCount;
      state = new Resuming(command, restoreNumber, null);
      checkpoints.restore(
          command.checkpoints().folder(),
          resume,
          (checkpointPath, failure) ->
              events.accept(
                  new ExecutorEvent.CheckpointRestored(restoreNumber, checkpointPath, failure)));
    }
  }

  void onCheckpointRestored(
      int restoreNumber, @Nullable String checkpointPath, @Nullable Exception failure)
      throws IOException {
    if (!(state instanceof Resuming resuming) || resuming.restoreNumber() != restoreNumber) {
      return; // the download was cancelled by a restart or stop command
    }
    if (failure == null) {
      runProgram(resuming.start(), checkpointPath, resuming.request());
    } else {
      LOG.error("the checkpoint cannot be brought back", failure);
      CheckpointPlan.Resume resume =
          Objects.requireNonNull(resuming.start().checkpoints().resume());
      String why =
          "the checkpoint "
              + resume.checkpointName()
              + ", from which the program was to go on, could not be brought back: "
              + failure.getMessage();
      reportCannotRun(
          failure instanceof ClusterStore.UnusableCheckpointException
              ? ProgramExit.withoutCheckpoint(TaskExecutor.EXIT_FAILURE, why)
              : ProgramExit.withoutProgram(TaskExecutor.EXIT_FAILURE, why));
    }
  }

  private void runProgram(
      ExecutorCommand.Start start,
      @Nullable String checkpointPath,
      ExecutorCommand.@Nullable AskForCheckpoint pendingRequest)
      throws IOException {
    ports.handOver();
    ProgramSession session;
    try {
      session =
          ProgramSession.start(start, checkpointPath, master.task(), launcher, checkpoints, events);
    } catch (IOException e) {
      LOG.error("the program cannot be run", e);
      reportCannotRun("the program could not be run: " + e.getMessage());
      return;
    }
    state = new Running(session);
    if (pendingRequest != null) {
      session.askForCheckpoint(pendingRequest);
    }
    ProgramProcess program = Objects.requireNonNull(session.runningProgram());
    master.reportStart(program.processGroup().pid());
    ports.watchTensorBoard(
        program, () -> events.accept(new ExecutorEvent.TensorBoardListens(program)));
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
    LOG.info("the command to stop came in " + state + ": " + command.reason());
    if (session() != null) {
      session().stop(command.stacks(), settings.stopGrace());
      return;
    }
    if (isBeforeProgram()) {
      checkpoints.cancelRestore();
      master.reportExit(ProgramExit.withoutProgram(128 + 15, ""));
    }
    state = Idle.FINISHED;
  }

  private void restart(ExecutorCommand.Restart command)
      throws IOException, MasterLostException, InterruptedException {
    LOG.info(
        "the command to be attempt "
            + command.attempt()
            + " came in "
            + state
            + ": "
            + command.reason());
    if (session() != null) {
      session().restart(command);
      // The next attempt is registered only later, when the program and its uploads have ended.
      // Await its commands already now, because a stop or another restart command may come first.
      master.awaitCommandAs(command);
      return;
    }
    if (state == Idle.FINISHED) {
      return; // the executor is already ending
    }
    if (isBeforeProgram()) {
      checkpoints.cancelRestore();
    } else {
      ports.renew();
    }
    registerAs(command);
    ensurePrepared();
  }

  void onProgramEnded(int code) {
    LOG.info("the program exited with code " + code);
    ProgramSession session = Objects.requireNonNull(session());
    state = new Uploading(session);
    Duration hold = masterLost == null ? settings.holdOnFailure() : Duration.ZERO;
    if (session.onEnded(code, hold, () -> events.accept(new ExecutorEvent.UploadsFinished()))) {
      LOG.info("the container is kept for " + hold.toSeconds() + " s, before that is reported");
      master.sendHeartbeat(Heartbeat.ofHold(session.exit(), hold));
    }
  }

  void onUploadsFinished() throws MasterLostException, InterruptedException, IOException {
    ProgramSession session = Objects.requireNonNull(session());
    ExecutorCommand.Restart nextAttempt = session.nextAttempt();
    state = Idle.ENDED;
    if (masterLost != null) {
      state = Idle.FINISHED;
    } else if (nextAttempt != null) {
      if (session.endedByItself()) {
        // Report the exit although a restart is commanded: it may be the reason for the restart.
        master.reportExit(session.exit());
      }
      ports.renew();
      master.reportHangLocation(session.hangLocation());
      registerAs(nextAttempt);
      // No command is requested here, because the handler of the restart command has already
      // requested the next command for this attempt.
      enterWaiting();
    } else {
      master.reportExit(session.exit());
      state = session.isStopping() ? Idle.FINISHED : Idle.ENDED;
    }
  }

  void onCallFailed(Throwable cause) {
    if (!(cause instanceof MasterLostException failure)) {
      throw new IllegalStateException("the ApplicationMaster cannot be called", cause);
    }
    if (masterLost != null) {
      return; // the calls of several threads may fail; only the first failure is handled
    }
    masterLost = failure;
    LOG.error("the task ends", failure);
    if (state instanceof Running running) {
      Objects.requireNonNull(running.session().runningProgram()).stop();
    } else if (state instanceof Uploading uploading) {
      // End only the hold of the container. The uploads go on, because a later application may
      // resume from these checkpoints.
      uploading.session().release();
    } else {
      state = Idle.FINISHED;
    }
  }

  void onTerminationRequested(
      Duration grace, CompletableFuture<Optional<CheckpointUploader>> completion)
      throws InterruptedException {
    launcher.close();
    ProgramSession session = session();
    completion.complete(session == null ? Optional.empty() : session.terminate(grace));
    // Block the event loop until this JVM ends, so that the program's end is neither reported nor
    // followed by another attempt.
    new CountDownLatch(1).await();
  }

  // ---- Steps shared by several events ----

  /** Returns the current run of the program; null in states without a program. */
  private @Nullable ProgramSession session() {
    return state.session();
  }

  private boolean isBeforeProgram() {
    return state == Idle.PREPARING || state == Idle.WAITING || state instanceof Resuming;
  }

  private void prepare() {
    state = Idle.PREPARING;
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
    state = Idle.WAITING;
    launcher.prepare();
  }

  private void reportCannotRun(String why) {
    reportCannotRun(ProgramExit.withoutProgram(TaskExecutor.EXIT_FAILURE, why));
  }

  private void reportCannotRun(ProgramExit why) {
    master.reportExit(why);
    state = Idle.ENDED;
  }

  @Override
  public void close() {
    checkpoints.cancelRestore();
    if (session() != null) {
      session().kill();
    }
  }
}
