package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;

/**
 * A user's access to the container of a task. Recorded for information only: the ApplicationMaster
 * bases no decision on these facts.
 */
public sealed interface AccessFact extends Fact {
  @Override
  TaskId task();

  /**
   * The user's program failed, and the container is kept for some time so that users can inspect
   * it. The failure itself is recorded and handled only when this time is over.
   *
   * @param exitCode exit code of the program
   * @param message why the executor ended the program; empty if the program ended by itself
   * @param stderr last lines of the program's stderr; empty if there are none
   * @param limitMs maximum time for which the container is kept, in milliseconds
   */
  record ContainerHeld(TaskId task, int exitCode, String message, String stderr, long limitMs)
      implements AccessFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_HELD;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("exitCode", exitCode)
          .withNonEmpty("message", message)
          .withNonEmpty("stderr", stderr)
          .with("limit", limitMs);
    }

    public static ContainerHeld of(JobEvent event) {
      Details details = Details.of(event);
      return new ContainerHeld(
          details.task(),
          details.number("exitCode"),
          details.optionalText("message"),
          details.optionalText("stderr"),
          details.longNumber("limit"));
    }
  }

  /**
   * A user opened or closed a shell in the container of a task.
   *
   * @param user name of the user, for display
   * @param closed true if the shell was closed, false if it was opened
   */
  record ShellSession(TaskId task, String user, boolean closed) implements AccessFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.SHELL;
    }

    @Override
    public Details details() {
      return Details.empty().with("who", user).with("left", closed);
    }

    public static ShellSession of(JobEvent event) {
      Details details = Details.of(event);
      return new ShellSession(details.task(), details.text("who"), details.flag("left"));
    }
  }
}
