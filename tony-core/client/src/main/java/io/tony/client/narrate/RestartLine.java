package io.tony.client.narrate;

import io.tony.event.GangFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.model.FailureKind;

/** Formats the restart of a task or of the gang as a line for users. */
final class RestartLine {
  private RestartLine() {}

  static String of(TaskFact.Restarted fact) {
    return fact.task()
        + " is started again in "
        + (fact.sameContainer() ? "its" : "a new")
        + " container ("
        + fact.kind()
        + chargeText(fact.chargedTo(), fact.remaining())
        + "): "
        + fact.message();
  }

  /**
   * Returns the line about a restart of the gang.
   *
   * @param anyKept whether any task keeps its container
   * @param tasks number of tasks of the job
   */
  static String of(GangFact.Restarted fact, boolean anyKept, int tasks) {
    String kept =
        anyKept ? fact.keptContainerCount() + " of " + tasks + " containers are kept" : "";
    if (fact.kind() == FailureKind.RESIZED) {
      // The restart is not due to a failure; the line before this one states its reason.
      return "the gang is started again for that" + (anyKept ? ": " : "") + kept;
    }
    return "the gang is started again ("
        + fact.kind()
        + chargeText(fact.chargedTo(), fact.remaining())
        + (anyKept ? ", " : "")
        + kept
        + "): "
        + fact.message();
  }

  private static String chargeText(RetryBudgetOwner budgetOwner, int remaining) {
    return switch (budgetOwner) {
      case ROLE, JOB -> ", " + remaining + " more after this";
      case INCIDENT -> ", charged with an earlier loss";
      case NOBODY -> ", not charged";
    };
  }
}
