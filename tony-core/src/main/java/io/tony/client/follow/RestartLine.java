package io.tony.client.follow;

import io.tony.fact.GangFact;
import io.tony.fact.Payer;
import io.tony.fact.TaskFact;
import io.tony.model.FailureKind;

/** That a task or a gang starts again, in a line. */
final class RestartLine {
  private RestartLine() {}

  static String of(TaskFact.Restarted fact) {
    return fact.task()
        + " is started again in "
        + (fact.kept() ? "its" : "a new")
        + " container ("
        + fact.kind()
        + price(fact.payer(), fact.left())
        + "): "
        + fact.message();
  }

  /**
   * @param some whether any of the job's {@code tasks} keeps its container
   */
  static String of(GangFact.Restarted fact, boolean some, int tasks) {
    String kept = some ? fact.kept() + " of " + tasks + " containers are kept" : "";
    if (fact.kind() == FailureKind.RESIZED) {
      // Nothing has failed, and the line before has said why.
      return "the gang is started again for that" + (some ? ": " : "") + kept;
    }
    return "the gang is started again ("
        + fact.kind()
        + price(fact.payer(), fact.left())
        + (some ? ", " : "")
        + kept
        + "): "
        + fact.message();
  }

  private static String price(Payer payer, int left) {
    return switch (payer) {
      case ROLE, JOB -> ", " + left + " more after this";
      case INCIDENT -> ", charged with an earlier loss";
      case NOBODY -> ", not charged";
    };
  }
}
