package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happened to the gang, which are the tasks that start together. */
public sealed interface GangFact extends Fact {

  /**
   * Containers were requested for all tasks of some roles.
   *
   * @param taskCount number of tasks of these roles
   * @param resources resources of each role's containers, for display
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
   * Which containers a gang still waits for, and why; all components are texts for display.
   *
   * @param missing the containers that are not allocated yet
   * @param available resources that are free in the queue; empty if YARN has not reported them
   * @param lacking the types of resources of which too little is free
   */
  record Shortage(String missing, String available, String lacking) {
    private Details addTo(Details details) {
      return details.with("missing", missing).with("free", available).with("short", lacking);
    }

    private static Shortage of(Details details) {
      return new Shortage(details.text("missing"), details.text("free"), details.text("short"));
    }
  }

  /** The gang is still waiting for some of its containers. */
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

  /**
   * The gang did not get all its containers in time. It released the ones it had, and requests all
   * containers again after {@code pause} (a text for display).
   */
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

  /** The ApplicationMaster has ordered all executors of the gang to start the user's programs. */
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
   * The gang was restarted.
   *
   * @param task the task whose failure caused the restart
   * @param kind kind of that failure
   * @param message description of that failure
   * @param remaining number of further restarts that the charged retry budget allows
   * @param attempt attempt number of the restarted tasks
   * @param chargedTo owner of the charged retry budget; never {@link RetryBudgetOwner#ROLE}
   * @param keptContainerCount number of containers that the gang keeps
   * @param failedContainerKept true if one of these is the container of the failed task
   * @param node node on which the failed task ran
   * @param finishedRoles roles that are not restarted because they have already finished
   * @param memoryMiB new container memory of the failed task's role, in MiB; null if unchanged
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
      @Nullable Long memoryMiB)
      implements GangFact {
    public Restarted {
      finishedRoles = List.copyOf(finishedRoles);
    }

    /** Creates the fact for a restart that does not change the container memory. */
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
          // TonY 0.1.0 did not write "charged": it charged every restart to the job's budget.
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
