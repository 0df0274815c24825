package io.tony.client.narrate;

import io.tony.event.RootCause;
import io.tony.model.FailureKind;

/** Formats a gang's first failure, and the further failures that it caused, as a line for users. */
final class RootCauseLine {
  private RootCauseLine() {}

  static String of(RootCause fact) {
    RootCause.SecondaryFailures others = fact.secondaryFailures();
    StringBuilder line = new StringBuilder("the first cause: " + fact.failure().message());
    if (others.task() != null) {
      line.append("; ").append(others.task());
      if (others.moreCount() > 0) {
        line.append(" and ").append(others.moreCount()).append(" more");
      }
      line.append(" failed because of it (").append(others.evidence()).append(')');
    }
    if (others.unexplainedCount() > 0) {
      line.append("; ").append(others.unexplainedCount());
      line.append(others.unexplainedCount() == 1 ? " task" : " tasks")
          .append(" more failed about then");
    }
    FailureKind refund = fact.refund().kind();
    if (refund != null) {
      line.append("; the restart is not charged as ").append(refund).append(", of which ");
      line.append(fact.refund().remaining()).append(" more are left");
    }
    return line + ", log " + fact.failure().logUrl();
  }
}
