package io.tony.fact;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;

/**
 * What people do in the container of a task, and what it is kept for; nothing is decided upon it.
 */
public sealed interface LookFact extends Fact {

  /**
   * Its program has failed; its container is kept for people to look into, before that counts.
   *
   * @param exitCode of the program
   * @param message why its executor ended it; empty where it ended by itself
   * @param stderr the last lines of its stderr; empty when there is none
   * @param limitMs how long it is kept at most
   */
  record Held(TaskId task, int exitCode, String message, String stderr, long limitMs)
      implements LookFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_HELD;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("exitCode", exitCode)
          .withAny("message", message)
          .withAny("stderr", stderr)
          .with("limit", limitMs);
    }

    public static Held of(JobEvent event) {
      Details of = Details.of(event);
      return new Held(
          of.task(),
          of.number("exitCode"),
          of.any("message"),
          of.any("stderr"),
          of.longNumber("limit"));
    }
  }

  /**
   * Somebody looks into its container.
   *
   * @param who in words
   * @param left whether that is over
   */
  record Shell(TaskId task, String who, boolean left) implements LookFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.SHELL;
    }

    @Override
    public Details details() {
      return Details.none().with("who", who).with("left", left);
    }

    public static Shell of(JobEvent event) {
      Details of = Details.of(event);
      return new Shell(of.task(), of.text("who"), of.flag("left"));
    }
  }
}
