package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.List;

/** What can become of the tasks of a job together. */
public sealed interface GangFact extends Fact {

  /**
   * Containers are asked for, for all tasks of some roles.
   *
   * @param taskCount how many
   * @param resources of each role, in words
   */
  record Requested(int taskCount, String resources, List<String> roles) implements GangFact {
    public Requested {
      roles = List.copyOf(roles);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_REQUESTED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("tasks", taskCount)
          .with("resources", resources)
          .with("roles", String.join(",", roles));
    }

    public static Requested of(JobEvent event) {
      Details details = Details.of(event);
      return new Requested(
          details.number("tasks"), details.text("resources"), details.names("roles"));
    }
  }

  /**
   * Which containers are missing, what the queue has left (empty when YARN has not said), and what
   * of it is too little; all in words.
   */
  record Shortage(String missing, String available, String lacking) {
    private Details addTo(Details details) {
      return details.with("missing", missing).with("free", available).with("short", lacking);
    }

    private static Shortage of(Details details) {
      return new Shortage(details.text("missing"), details.text("free"), details.text("short"));
    }
  }

  /** Containers are waited for. */
  record Waiting(Shortage shortage) implements GangFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_WAITING;
    }

    @Override
    public Details details() {
      return shortage.addTo(Details.empty());
    }

    public static Waiting of(JobEvent event) {
      return new Waiting(Shortage.of(Details.of(event)));
    }
  }

  /** A gang gave back the containers that it had, to ask again after a {@code pause}. */
  record BackedOff(Shortage shortage, String pause) implements GangFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_BACKED_OFF;
    }

    @Override
    public Details details() {
      return shortage.addTo(Details.empty()).with("wait", pause);
    }

    public static BackedOff of(JobEvent event) {
      Details details = Details.of(event);
      return new BackedOff(Shortage.of(details), details.text("wait"));
    }
  }

  /** Every task of the gang has been told to start. */
  record Running() implements GangFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RUNNING;
    }

    @Override
    public Details details() {
      return Details.empty();
    }
  }

  /**
   * The gang is started again.
   *
   * @param task whose failure made it necessary, of the {@code kind}, {@code message} in words
   * @param remaining how many more such restarts there can be
   * @param attempt the number of the new start
   * @param chargedTo at whose expense; never a role's
   * @param keptContainerCount how many containers stay
   * @param failedContainerKept whether that of the failed task does
   * @param node where the failed task ran
   * @param finishedRoles roles that are not started again: what they did was for others, and they
   *     have ended
   * @param memoryMiB in MiB of which the containers of the failed task's role are asked for from
   *     now on; null where that stays as it was
   */
  record Restarted(
      TaskId task,
      FailureKind kind,
      String message,
      int remaining,
      int attempt,
      RetryBudgetOwner chargedTo,
      int keptContainerCount,
      boolean failedContainerKept,
      String node,
      List<String> finishedRoles,
      Long memoryMiB)
      implements GangFact {
    public Restarted {
      finishedRoles = List.copyOf(finishedRoles);
    }

    /** In containers as large as those before. */
    public Restarted(
        TaskId task,
        FailureKind kind,
        String message,
        int remaining,
        int attempt,
        RetryBudgetOwner chargedTo,
        int keptContainerCount,
        boolean failedContainerKept,
        String node,
        List<String> finishedRoles) {
      this(
          task,
          kind,
          message,
          remaining,
          attempt,
          chargedTo,
          keptContainerCount,
          failedContainerKept,
          node,
          finishedRoles,
          null);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RESTARTED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("kind", kind)
          .with("message", message)
          .with("left", remaining)
          .with("attempt", attempt)
          .withLowerCase("charged", chargedTo)
          .with("kept", keptContainerCount)
          .with("keptFailed", failedContainerKept)
          .with("node", node)
          .with("done", String.join(",", finishedRoles))
          .withNonEmpty("memory", memoryMiB);
    }

    public static Restarted of(JobEvent event) {
      Details details = Details.of(event);
      return new Restarted(
          details.task(),
          details.failureKind("kind"),
          details.text("message"),
          details.number("left"),
          details.number("attempt"),
          // Release 0.1.0 did not write it: the job paid for every start.
          details.optionalText("charged").isEmpty()
              ? RetryBudgetOwner.JOB
              : details.lowerCaseConstant("charged", RetryBudgetOwner.class),
          details.number("kept"),
          details.flag("keptFailed"),
          details.text("node"),
          details.names("done"),
          details.optionalLong("memory"));
    }
  }
}
