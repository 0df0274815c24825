package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;

/**
 * What failed first, as far as the reports that have come since tell. The gang was started again,
 * or the job ends, by what was reported first, which may have been another failure.
 *
 * @param failure how the first one failed
 * @param session which start of the gang, from 0, it failed in
 * @param secondaryFailures what failed with it
 * @param refund nothing is given back where it is {@link Refund#NONE}
 */
public record RootCause(
    TaskFact.Failed failure, int session, SecondaryFailures secondaryFailures, Refund refund)
    implements Fact {
  public RootCause {
    Objects.requireNonNull(failure, "failure");
    Objects.requireNonNull(secondaryFailures, "others");
    Objects.requireNonNull(refund, "refund");
  }

  /**
   * Failures of the same gang that did not come first.
   *
   * @param task one that failed because of the first; null when none says so
   * @param moreCount how many more failed because of it
   * @param evidence the task, or another, says so; empty when none does
   * @param unexplainedCount how many others failed that do not say why
   */
  public record SecondaryFailures(
      TaskId task, int moreCount, String evidence, int unexplainedCount) {
    public static final SecondaryFailures NONE = new SecondaryFailures(null, 0, "", 0);

    /** With one more that failed because of the first, in these words. */
    public SecondaryFailures withExplained(TaskId next, String message) {
      return task == null
          ? new SecondaryFailures(next, moreCount, message, unexplainedCount)
          : new SecondaryFailures(task, moreCount + 1, evidence, unexplainedCount);
    }

    /** With one more that does not say why. */
    public SecondaryFailures withUnexplained() {
      return new SecondaryFailures(task, moreCount, evidence, unexplainedCount + 1);
    }
  }

  /**
   * A failure that is charged no longer: the first cause is charged.
   *
   * @param kind of the budget; null for none
   * @param remaining how many more such restarts there can be
   */
  public record Refund(FailureKind kind, int remaining) {
    public static final Refund NONE = new Refund(null, 0);
  }

  @Override
  public TaskId task() {
    return failure.task();
  }

  @Override
  public JobEvent.Type type() {
    return JobEvent.Type.FIRST_CAUSE;
  }

  @Override
  public Details details() {
    Details details =
        failure
            .details()
            .with("gang", session)
            .withNonEmpty("other", secondaryFailures.task())
            .with("more", secondaryFailures.moreCount())
            .withNonEmpty("how", secondaryFailures.evidence())
            .with("besides", secondaryFailures.unexplainedCount());
    return refund.kind() == null
        ? details
        : details.with("refund", refund.kind()).with("left", refund.remaining());
  }

  public static RootCause of(JobEvent event) {
    Details details = Details.of(event);
    TaskId other =
        details.optionalText("other").isEmpty()
            ? null
            : details.read("other", "a task", TaskId::parse);
    boolean refunded = !details.optionalText("refund").isEmpty();
    return new RootCause(
        TaskFact.Failed.of(event),
        details.number("gang"),
        new SecondaryFailures(
            other, details.number("more"), details.optionalText("how"), details.number("besides")),
        refunded ? new Refund(details.failureKind("refund"), details.number("left")) : Refund.NONE);
  }
}
