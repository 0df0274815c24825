package io.tony.client.follow;

import io.tony.fact.FirstCause;
import io.tony.model.FailureKind;

/** What failed first, and what failed because of it, in one line for a person. */
final class FirstCauseLine {
  private FirstCauseLine() {}

  static String of(FirstCause fact) {
    FirstCause.Others others = fact.others();
    StringBuilder line = new StringBuilder("the first cause: " + fact.failure().message());
    if (others.task() != null) {
      line.append("; ").append(others.task());
      if (others.more() > 0) {
        line.append(" and ").append(others.more()).append(" more");
      }
      line.append(" failed because of it (").append(others.how()).append(')');
    }
    if (others.besides() > 0) {
      line.append("; ").append(others.besides());
      line.append(others.besides() == 1 ? " task" : " tasks").append(" more failed about then");
    }
    FailureKind refund = fact.refund().kind();
    if (refund != null) {
      line.append("; the restart is not charged as ").append(refund).append(", of which ");
      line.append(fact.refund().left()).append(" more are left");
    }
    return line + ", log " + fact.failure().log();
  }
}
