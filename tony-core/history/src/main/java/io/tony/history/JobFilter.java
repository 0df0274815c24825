package io.tony.history;

import io.tony.history.JobSummary.Status;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on a job, all of which must be met. A text must be equal to the value of the job,
 * ignoring case, except {@code text}, which must be contained in a value. A condition that is empty
 * or null is met by every job.
 *
 * @param execution execution ID of the Azkaban flow
 * @param attempt number of Azkaban's attempt at the step, from 0; null for any
 * @param since earliest begin of the job, inclusive
 * @param until latest begin of the job, exclusive
 * @param text a part of the name, the message or the application ID
 */
public record JobFilter(
    String user,
    String project,
    String flow,
    String job,
    String execution,
    @Nullable Integer attempt,
    @Nullable Status status,
    @Nullable Instant since,
    @Nullable Instant until,
    String text)
    implements Predicate<JobSummary> {
  public static final JobFilter ALL = new JobFilter("", "", "", "", "", null, null, null, null, "");

  public JobFilter withUser(String name) {
    return new JobFilter(name, project, flow, job, execution, attempt, status, since, until, text);
  }

  public JobFilter ofStep(String inProject, String inFlow, String jobName) {
    return new JobFilter(
        user, inProject, inFlow, jobName, execution, attempt, status, since, until, text);
  }

  /**
   * Returns a copy for one execution of an Azkaban flow, and one of Azkaban's attempts at the step;
   * {@code attemptNumber} is null for any attempt.
   */
  public JobFilter ofExecution(String number, @Nullable Integer attemptNumber) {
    return new JobFilter(
        user, project, flow, job, number, attemptNumber, status, since, until, text);
  }

  public JobFilter withStatus(Status wanted) {
    return new JobFilter(user, project, flow, job, execution, attempt, wanted, since, until, text);
  }

  /**
   * Returns a copy for jobs that began between {@code from} (inclusive) and {@code to} (exclusive);
   * null for no limit.
   */
  public JobFilter between(@Nullable Instant from, @Nullable Instant to) {
    return new JobFilter(user, project, flow, job, execution, attempt, status, from, to, text);
  }

  public JobFilter withText(String part) {
    return new JobFilter(user, project, flow, job, execution, attempt, status, since, until, part);
  }

  @Override
  public boolean test(JobSummary summary) {
    return matches(user, summary.user())
        && matches(project, summary.step().project())
        && matches(flow, summary.step().flow())
        && matches(job, summary.step().job())
        && matches(execution, summary.step().execution())
        && (attempt == null || attempt.equals(summary.step().attempt()))
        && (status == null || status == summary.status())
        && (since == null || !summary.begin().isBefore(since))
        && (until == null || summary.begin().isBefore(until))
        && (text.isEmpty()
            || contains(summary.name())
            || contains(summary.message())
            || contains(summary.application()));
  }

  private static boolean matches(String wanted, String value) {
    return wanted.isEmpty() || wanted.equalsIgnoreCase(value);
  }

  /**
   * Returns true if {@code value} contains {@code text}, ignoring case. Compares only where the
   * first letter matches, for speed: one page may require the search of 100,000 jobs.
   */
  private boolean contains(String value) {
    String first = text.substring(0, 1);
    char lower = first.toLowerCase(Locale.ROOT).charAt(0);
    char upper = first.toUpperCase(Locale.ROOT).charAt(0);
    return contains(value, lower) || (lower != upper && contains(value, upper));
  }

  private boolean contains(String value, char first) {
    for (int at = value.indexOf(first); at >= 0; at = value.indexOf(first, at + 1)) {
      if (value.regionMatches(true, at, text, 0, text.length())) {
        return true;
      }
    }
    return false;
  }
}
