package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;

/**
 * What is done for the next start, once it is decided: executors that stay are told, containers are
 * given back and asked for, and the wait for them is bounded.
 */
final class NextStart {
  private static final String GANG = "the gang is started again";

  private NextStart() {}

  /** Every executor whose container stays is told to start again, and any other to end. */
  static void commands(Draft draft, JobState before, boolean stacks) {
    for (Task task : before.tasks()) {
      Task now = draft.state().tasks().get(task.id());
      if (now.kept() && now.state() == TaskState.LAUNCHING) {
        draft.act(new RestartTask(task.key(), now.attempt(), GANG, stacks));
      } else if (task.state().holdsContainer()) {
        giveBack(draft, task);
      }
    }
  }

  /** Asks for what is missing; all of it anew where the role has grown. */
  static void requests(Draft draft, JobState before) {
    for (RoleSpec role : draft.state().job().roles()) {
      int asked = before.tasks().count(role.name(), TaskState.REQUESTED);
      int more = draft.state().tasks().count(role.name(), TaskState.REQUESTED);
      RoleSpec smaller = before.job().role(role.name());
      if (smaller.resource().equals(role.resource())) {
        more -= asked;
      } else if (asked > 0) {
        draft.act(new CancelRequests(smaller, asked));
      }
      if (more > 0) {
        draft.act(new RequestContainers(role, more));
      } else if (more < 0) {
        draft.act(new CancelRequests(role, -more)); // it waits for others again
      }
    }
  }

  /**
   * The executor may copy what its program leaves, and ends then: YARN ends only what has none yet.
   * One that does not end is missed in the end (see {@link JobMachine}).
   */
  static void giveBack(Draft draft, Task task) {
    draft.act(new StopTask(task.key(), "its container is given back"));
    if (task.state() == TaskState.LAUNCHING && !task.kept()) {
      draft.act(new StopContainer(task.key()));
    }
  }

  /** Nothing more is wanted of the container or of an executor that may live on in it. */
  static void discard(Draft draft, Task task) {
    draft.act(new StopTask(task.key(), "it is replaced"));
    draft.act(new StopContainer(task.key()));
  }

  /** Asks for what the gang lacks, and bounds how long that may take. */
  static void awaitGang(Draft draft, JobState before) {
    Growing.giveBack(draft);
    requests(draft, before);
    Outcomes.cancelGroupTimers(draft);
    draft.act(new CancelTimer(Timer.BACK_OFF));
    if (draft.state().phase() == Phase.ALLOCATING) {
      Starting.awaitContainers(draft);
    }
    Starting.request(draft);
    Outcomes.groupTimers(draft); // of groups whose work is done for good
  }
}
