package io.tony.am.machine;

import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TensorBoardListens;
import io.tony.fact.TaskFact;
import java.time.Duration;

/** What is told of programs while they run. */
final class ProgramReports {
  /** Progress is recorded at most this often: the log is history, not a stream. */
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

  private ProgramReports() {}

  static void started(Draft draft, TaskStarted event) {
    Task task = JobMachine.current(draft.state(), event.key());
    if (task != null && task.started()) {
      draft.record(new TaskFact.Started(task.id(), event.pid()));
    }
  }

  static void progressed(Draft draft, TaskProgressed event) {
    JobState state = draft.state();
    Task task = JobMachine.current(state, event.key());
    Duration since = Duration.between(state.progressAt(), event.at());
    // Negative when somebody has set the clock back.
    boolean due = since.isNegative() || since.compareTo(PROGRESS_INTERVAL) >= 0;
    if (task != null && task.id().equals(state.job().chief()) && due) {
      draft.record(new TaskFact.Progressed(task.id(), event.text()));
    }
  }

  static void tensorBoardListens(Draft draft, TensorBoardListens event) {
    Task task = JobMachine.current(draft.state(), event.key());
    if (task != null
        && task.started()
        && task.tensorBoardPort() > 0
        && task.tensorBoardUrl().isEmpty()) {
      String url = "http://" + task.endpoint().host() + ":" + task.tensorBoardPort();
      draft.record(new TaskFact.TensorBoard(task.id(), url));
    }
  }
}
