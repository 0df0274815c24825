package io.tony.executor;

import io.tony.clock.Durations;
import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.link.MasterLink;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.port.NodeInterface;
import io.tony.executor.program.PreflightRun;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.tunnel.TaskTunnels;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Event loop of one executor, in which it runs all task attempts of its container, one after the
 * other. One thread passes queued {@link ExecutorEvent}s to a {@link TaskStateMachine}, sends
 * heartbeats and checks time limits.
 */
final class ExecutorLoop {
  private static final ExecutorLog LOG = new ExecutorLog(ExecutorLoop.class);

  private final ExecutorSettings settings;
  private final MasterLink link;
  private final SourceFolder source;
  private final Path workingDirectory;
  private final Path logs;
  private final ProgramLauncher launcher;
  private final TaskCheckpoints checkpoints;
  private final Spawner spawner;
  private final BlockingQueue<ExecutorEvent> events = new LinkedBlockingQueue<>();
  private long nextHeartbeatNanos;

  ExecutorLoop(
      ExecutorSettings settings,
      MasterLink link,
      Path workingDirectory,
      Path logs,
      ProgramLauncher launcher,
      TaskCheckpoints checkpoints,
      Spawner spawner) {
    this.spawner = spawner;
    this.settings = settings;
    this.link = link;
    this.source = new SourceFolder(workingDirectory, spawner);
    this.workingDirectory = workingDirectory;
    this.logs = logs;
    this.launcher = launcher;
    this.checkpoints = checkpoints;
  }

  /**
   * Checks the container's network interface, runs the preflight check and, if there is no problem,
   * runs the event loop. Returns when everything is reported and the ApplicationMaster no longer
   * needs this executor; no process of the program is left then. If there is a problem, only
   * reports it and returns.
   *
   * @throws MasterLostException if no ApplicationMaster of the job can be reached any more
   */
  void run() throws IOException, MasterLostException, InterruptedException {
    try (TaskPorts ports = TaskPorts.reserve(settings, spawner);
        TaskTunnels tunnels =
            new TaskTunnels(link, settings.key(), launcher, ports::task, spawner);
        MasterClient master =
            new MasterClient(link, settings.key(), launcher, tunnels, events::add, spawner);
        TaskStateMachine stateMachine =
            new TaskStateMachine(
                settings, ports, master, source, launcher, checkpoints, events::add)) {
      boolean containerFit = checkContainer(master);
      if (containerFit) {
        stateMachine.begin();
      }
      nextHeartbeatNanos = System.nanoTime() + settings.heartbeatInterval().toNanos();
      while (containerFit && !stateMachine.isFinished()) {
        ExecutorEvent event =
            events.poll(untilNextTick(stateMachine).toNanos(), TimeUnit.NANOSECONDS);
        if (event != null) {
          event.applyTo(stateMachine);
        }
        tick(stateMachine, master);
      }
      if (stateMachine.masterLost() == null) {
        master.finish();
        handleFailures(stateMachine);
      }
      if (stateMachine.masterLost() != null) {
        throw stateMachine.masterLost();
      }
    }
  }

  /**
   * Checks the network interface and runs the preflight check. Returns true if there is no problem;
   * otherwise reports the problem to the ApplicationMaster as the exit of the task and returns
   * false. Called before the task registers, because the other tasks start as soon as all tasks are
   * registered.
   */
  private boolean checkContainer(MasterClient master) throws IOException, InterruptedException {
    String problem = findProblem();
    if (!problem.isEmpty()) {
      LOG.info("the container is not fit for the task: " + problem);
      master.reportExit(ProgramExit.ofPreflight(TaskExecutor.EXIT_FAILURE, problem));
    }
    return problem.isEmpty();
  }

  private String findProblem() throws IOException, InterruptedException {
    String problem =
        settings.networkInterface().isEmpty()
            ? ""
            : NodeInterface.problem(settings.networkInterface(), settings.master());
    if (problem.isEmpty() && !settings.preflight().check().isEmpty()) {
      // The preflight command may be a file of the user's source folder, so the folder must be
      // unpacked first.
      problem = source.unpackNow();
      if (problem.isEmpty()) {
        problem = new PreflightRun(settings, workingDirectory, logs, spawner).findProblem();
      }
    }
    return problem;
  }

  /**
   * Handles the {@code CallFailed} events that calls to the ApplicationMaster have queued after the
   * event loop had ended. Drops all other events that are still queued.
   */
  private void handleFailures(TaskStateMachine stateMachine) {
    for (ExecutorEvent event : events) {
      if (event instanceof ExecutorEvent.CallFailed failed) {
        failed.applyTo(stateMachine);
      }
    }
  }

  /**
   * Ends the program because YARN sent SIGTERM. May be called on any thread. Reports nothing to the
   * ApplicationMaster, because YARN knows why it ends this container. Waits at most {@code 2 *
   * grace} for the program's end, and then until its checkpoint uploads have ended; YARN may kill
   * this process earlier.
   *
   * @param grace time for the program to end by itself before it is killed
   */
  void terminate(Duration grace) throws InterruptedException {
    CompletableFuture<Optional<CheckpointUploader>> completion = new CompletableFuture<>();
    events.add(new ExecutorEvent.TerminationRequested(grace, completion));
    try {
      Optional<CheckpointUploader> uploader =
          completion.get(2 * grace.toMillis(), TimeUnit.MILLISECONDS);
      if (uploader.isPresent()) {
        uploader.get().awaitEnd();
      }
    } catch (TimeoutException | ExecutionException e) {
      LOG.info("the program did not end within " + 2 * grace.toMillis() + " ms of SIGTERM");
    }
  }

  // ---- Time ----

  private void tick(TaskStateMachine stateMachine, MasterClient master) {
    stateMachine.checkLimits();
    if (System.nanoTime() - nextHeartbeatNanos >= 0) {
      nextHeartbeatNanos = System.nanoTime() + settings.heartbeatInterval().toNanos();
      if (!master.hasPendingReports()) { // sending a report counts as a heartbeat
        ProgramProcess program = stateMachine.runningProgram();
        master.sendHeartbeat(program == null ? Heartbeat.EMPTY : program.nextHeartbeat());
      }
    }
  }

  private Duration untilNextTick(TaskStateMachine stateMachine) {
    Duration untilHeartbeat = Duration.ofNanos(nextHeartbeatNanos - System.nanoTime());
    return Durations.shorter(untilHeartbeat, stateMachine.untilNextCheck());
  }
}
