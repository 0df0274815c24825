package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failure that caused the other failures of a gang, as determined from all reports received so
 * far. The gang is restarted, or the job ended, on the first report that arrives, which may be
 * about another failure; this fact then corrects the cause.
 *
 * @param failure the failure that is the root cause
 * @param session number of the start of the gang in which the failure happened, from 0
 * @param secondaryFailures the other failures of the gang in this session
 * @param refund the retry that is given back; {@link Refund#NONE} for none
 */
public record RootCause(
    TaskFact.Failed failure, int session, SecondaryFailures secondaryFailures, Refund refund)
    implements Fact {
  public RootCause {
    Objects.requireNonNull(failure, "failure");
    Objects.requireNonNull(secondaryFailures, "secondaryFailures");
    Objects.requireNonNull(refund, "refund");
  }

  /**
   * The failures of a gang other than its root cause.
   *
   * @param task a task that failed because of the root cause, as a message shows; null if no such
   *     task is known
   * @param moreCount number of further tasks that failed because of the root cause, as their
   *     messages show
   * @param evidence the message that shows this for {@code task}: its own message or that of
   *     another task; empty if there is none
   * @param unexplainedCount number of other failed tasks, whose messages name no cause
   */
  public record SecondaryFailures(
      @Nullable TaskId task, int moreCount, String evidence, int unexplainedCount) {
    public static final SecondaryFailures NONE = new SecondaryFailures(null, 0, "", 0);

    /**
     * Returns a copy with one more task that failed because of the root cause, as its {@code
     * message} shows.
     */
    public SecondaryFailures withExplained(TaskId next, String message) {
      return task == null
          ? new SecondaryFailures(next, moreCount, message, unexplainedCount)
          : new SecondaryFailures(task, moreCount + 1, evidence, unexplainedCount);
    }

    /** Returns a copy with one more failed task whose message names no cause. */
    public SecondaryFailures withUnexplained() {
      return new SecondaryFailures(task, moreCount, evidence, unexplainedCount + 1);
    }
  }

  /**
   * The refund of a restart: the retry budget that was charged for the restart gets it back,
   * because the budget for the root cause's kind of failure is charged instead.
   *
   * @param kind kind of failure whose budget gets the restart back; null for no refund
   * @param remaining number of further restarts that this budget allows after the refund
   */
  public record Refund(@Nullable FailureKind kind, int remaining) {
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
