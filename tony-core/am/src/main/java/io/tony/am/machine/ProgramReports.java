package io.tony.am.machine;

import io.tony.am.machine.Event.ShellClosed;
import io.tony.am.machine.Event.ShellRequested;
import io.tony.am.machine.Event.TaskHeld;
import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TensorBoardListens;
import io.tony.event.AccessFact;
import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import java.time.Duration;
import java.util.Objects;

/**
 * Handles what executors and clients report about running programs: starts, progress, held
 * containers, shells and TensorBoard.
 */
final class ProgramReports {
  /**
   * Minimum time between two recorded progress lines of a program, except for its last one. Limits
   * the size of the event log.
   */
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

  private ProgramReports() {}

  /**
   * Records the start of a program. Executors report a start to every ApplicationMaster; only the
   * first report is recorded.
   */
  static void started(DecisionBuilder decision, TaskStarted event) {
    Task task = JobMachine.currentTask(decision.state(), event.key());
    if (task != null && task.isRunning() && task.failureStreak().programStartedAt() == null) {
      decision.record(new TaskFact.Started(task.id(), event.pid()));
    }
  }

  static void progressed(DecisionBuilder decision, TaskProgressed event) {
    JobState state = decision.state();
    Task task = JobMachine.currentTask(state, event.key());
    Duration since = Duration.between(state.progress().at(), event.at());
    // The duration is negative if the clock was set back; then the line is recorded, too.
    boolean due = since.isNegative() || since.compareTo(PROGRESS_INTERVAL) >= 0;
    if (task != null && task.id().equals(state.job().chief()) && due) {
      decision.record(new TaskFact.Progressed(task.id(), event.text()));
    }
  }

  /**
   * Records the last progress line of the chief's program, regardless of {@link
   * #PROGRESS_INTERVAL}. Does nothing if the task is not the chief, the text is empty, or the line
   * is already recorded.
   */
  static void recordLastProgress(DecisionBuilder decision, Task task, String text) {
    ChiefProgress last = decision.state().progress();
    boolean recorded = text.equals(last.text()) && task.attempt() == last.attempt();
    if (task.id().equals(decision.state().job().chief()) && !text.isEmpty() && !recorded) {
      decision.record(new TaskFact.Progressed(task.id(), text));
    }
  }

  static void programHeld(DecisionBuilder decision, TaskHeld event) {
    Task task = JobMachine.currentTask(decision.state(), event.key());
    if (task != null && task.isRunning()) {
      decision.record(
          new AccessFact.ContainerHeld(
              task.id(),
              event.exitCode(),
              event.message(),
              event.stderr(),
              event.limit().toMillis()));
    }
  }

  /**
   * Records a shell request, and orders the shell to be opened once the record is in the event log.
   * The attempt of the task does not matter, because a shell outlives the task's program. Refuses
   * the request if the container has ended.
   */
  static void shellRequested(DecisionBuilder decision, ShellRequested event) {
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      decision.record(new AccessFact.ShellSession(task.id(), event.requester(), false));
      decision.emit(new Action.OpenShell(event.tunnel()));
    } else {
      String reason = "the container of " + event.key().task() + " has ended";
      decision.emit(new Action.RefuseShell(event.tunnel(), reason));
    }
  }

  static void shellRequestedTooLate(DecisionBuilder decision, ShellRequested event) {
    decision.emit(new Action.RefuseShell(event.tunnel(), "the job is ending"));
  }

  static void shellClosed(DecisionBuilder decision, ShellClosed event) {
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    TaskId id = task == null ? event.key().task() : task.id();
    decision.record(new AccessFact.ShellSession(id, event.requester(), true));
  }

  static void tensorBoardListens(DecisionBuilder decision, TensorBoardListens event) {
    Task task = JobMachine.currentTask(decision.state(), event.key());
    if (task != null
        && task.isRunning()
        && task.tensorBoardPort() > 0
        && task.tensorBoardUrl().isEmpty()) {
      String host = Objects.requireNonNull(task.endpoint()).host();
      String url = "http://" + host + ":" + task.tensorBoardPort();
      decision.record(new TaskFact.TensorBoard(task.id(), url));
    }
  }
}
