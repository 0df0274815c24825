package io.tony.am.machine;

import io.tony.am.machine.Event.ShellLeft;
import io.tony.am.machine.Event.ShellWanted;
import io.tony.am.machine.Event.TaskHeld;
import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TensorBoardListens;
import io.tony.fact.LookFact;
import io.tony.fact.TaskFact;
import io.tony.model.TaskId;
import java.time.Duration;

/** What is told of programs while they run. */
final class ProgramReports {
  /** Progress is recorded at most this often, but for a program's last: the log is no stream. */
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

  private ProgramReports() {}

  /** Executors tell it to each ApplicationMaster: a program has begun when that was told first. */
  static void started(Draft draft, TaskStarted event) {
    Task task = JobMachine.current(draft.state(), event.key());
    if (task != null && task.started() && task.fault().begun() == null) {
      draft.record(new TaskFact.Started(task.id(), event.pid()));
    }
  }

  static void progressed(Draft draft, TaskProgressed event) {
    JobState state = draft.state();
    Task task = JobMachine.current(state, event.key());
    Duration since = Duration.between(state.progress().at(), event.at());
    // Negative when somebody has set the clock back.
    boolean due = since.isNegative() || since.compareTo(PROGRESS_INTERVAL) >= 0;
    if (task != null && task.id().equals(state.job().chief()) && due) {
      draft.record(new TaskFact.Progressed(task.id(), event.text()));
    }
  }

  /** The last that a program said is recorded however soon it comes: nothing comes after it. */
  static void lastProgress(Draft draft, Task task, String text) {
    Progress told = draft.state().progress();
    boolean known = text.equals(told.text()) && task.attempt() == told.attempt();
    if (task.id().equals(draft.state().job().chief()) && !text.isEmpty() && !known) {
      draft.record(new TaskFact.Progressed(task.id(), text));
    }
  }

  static void held(Draft draft, TaskHeld event) {
    Task task = JobMachine.current(draft.state(), event.key());
    if (task != null && task.started()) {
      draft.record(
          new LookFact.Held(
              task.id(),
              event.exitCode(),
              event.message(),
              event.stderr(),
              event.limit().toMillis()));
    }
  }

  /** It is opened when this is in the log. Whichever attempt: a shell outlives programs. */
  static void shellWanted(Draft draft, ShellWanted event) {
    Task task = JobMachine.inContainer(draft.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      draft.record(new LookFact.Shell(task.id(), event.who(), false));
      draft.act(new Action.OpenShell(event.tunnel()));
    } else {
      String why = "the container of " + event.key().task() + " has ended";
      draft.act(new Action.RefuseShell(event.tunnel(), why));
    }
  }

  static void shellWantedTooLate(Draft draft, ShellWanted event) {
    draft.act(new Action.RefuseShell(event.tunnel(), "the job is ending"));
  }

  static void shellLeft(Draft draft, ShellLeft event) {
    Task task = JobMachine.inContainer(draft.state(), event.key());
    TaskId id = task == null ? event.key().task() : task.id();
    draft.record(new LookFact.Shell(id, event.who(), true));
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
