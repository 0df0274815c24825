package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;

/**
 * What people do in the container of a task, and what it is kept for; nothing is decided upon it.
 */
public sealed interface AccessFact extends Fact {

  /**
   * Its program has failed; its container is kept for people to look into, before that counts.
   *
   * @param exitCode of the program
   * @param message why its executor ended it; empty where it ended by itself
   * @param stderr the last lines of its stderr; empty when there is none
   * @param limitMs how long it is kept at most
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
   * Somebody looks into its container.
   *
   * @param user in words
   * @param closed whether that is over
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
