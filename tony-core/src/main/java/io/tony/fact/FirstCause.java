package io.tony.fact;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;

/**
 * What failed first, as far as the reports that have come since tell. The gang was started again,
 * or the job ends, by what was reported first, which may have been another failure.
 *
 * @param failure how the first one failed
 * @param gang which start of the gang, from 0, it failed in
 * @param others what failed with it
 * @param refund nothing is given back where it is {@link Refund#NONE}
 */
public record FirstCause(TaskFact.Failed failure, int gang, Others others, Refund refund)
    implements Fact {
  public FirstCause {
    Objects.requireNonNull(failure, "failure");
    Objects.requireNonNull(others, "others");
    Objects.requireNonNull(refund, "refund");
  }

  /**
   * Failures of the same gang that did not come first.
   *
   * @param task one that failed because of the first; null when none says so
   * @param more how many more failed because of it
   * @param how the task, or another, says so; empty when none does
   * @param besides how many others failed that do not say why
   */
  public record Others(TaskId task, int more, String how, int besides) {
    public static final Others NONE = new Others(null, 0, "", 0);

    /** With one more that failed because of the first, in these words. */
    public Others because(TaskId next, String words) {
      return task == null
          ? new Others(next, more, words, besides)
          : new Others(task, more + 1, how, besides);
    }

    /** With one more that does not say why. */
    public Others beside() {
      return new Others(task, more, how, besides + 1);
    }
  }

  /**
   * A failure that is charged no longer: the first cause is charged.
   *
   * @param kind of the budget; null for none
   * @param left how many more such restarts there can be
   */
  public record Refund(FailureKind kind, int left) {
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
            .with("gang", gang)
            .withAny("other", others.task())
            .with("more", others.more())
            .withAny("how", others.how())
            .with("besides", others.besides());
    return refund.kind() == null
        ? details
        : details.with("refund", refund.kind()).with("left", refund.left());
  }

  public static FirstCause of(JobEvent event) {
    Details of = Details.of(event);
    TaskId other = of.any("other").isEmpty() ? null : of.read("other", "a task", TaskId::parse);
    boolean refunded = !of.any("refund").isEmpty();
    return new FirstCause(
        TaskFact.Failed.of(event),
        of.number("gang"),
        new Others(other, of.number("more"), of.any("how"), of.number("besides")),
        refunded ? new Refund(of.failure("refund"), of.number("left")) : Refund.NONE);
  }
}
