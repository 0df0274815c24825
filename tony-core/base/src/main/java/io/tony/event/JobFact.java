package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that happened to a job as a whole. */
public sealed interface JobFact extends Fact {

  /**
   * YARN accepted the application. Only the client's output contains this fact; the event log does
   * not.
   */
  record Submitted(String application, String queue, String trackingUrl) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.JOB_SUBMITTED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("application", application)
          .with("queue", queue)
          .with("trackingUrl", trackingUrl);
    }

    public static Submitted of(JobEvent event) {
      Details details = Details.of(event);
      return new Submitted(
          details.text("application"), details.text("queue"), details.text("trackingUrl"));
    }
  }

  /**
   * An ApplicationMaster started and took over the job.
   *
   * @param attempt number of the ApplicationMaster's attempt, from 1
   * @param host host of the ApplicationMaster
   * @param taskCount number of tasks of the whole job
   * @param recoveredTaskCount number of running tasks that were taken over from the previous
   *     ApplicationMaster; null for the first ApplicationMaster
   * @param launchTimes when the application was submitted and this ApplicationMaster's process
   *     started
   */
  record MasterStarted(
      int attempt,
      String host,
      int taskCount,
      @Nullable Integer recoveredTaskCount,
      LaunchTimes launchTimes)
      implements JobFact {
    /** Creates the fact for an ApplicationMaster whose launch times are unknown. */
    public MasterStarted(
        int attempt, String host, int taskCount, @Nullable Integer recoveredTaskCount) {
      this(attempt, host, taskCount, recoveredTaskCount, LaunchTimes.UNKNOWN);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.AM_STARTED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("attempt", attempt)
          .with("host", host)
          .with("tasks", taskCount)
          .withNonEmpty("running", recoveredTaskCount)
          .withNonEmpty("submitted", launchTimes.submittedAt())
          .withNonEmpty("process", launchTimes.processStartedAt());
    }

    public static MasterStarted of(JobEvent event) {
      Details details = Details.of(event);
      return new MasterStarted(
          details.number("attempt"),
          details.text("host"),
          details.number("tasks"),
          details.optionalNumber("running"),
          new LaunchTimes(details.optionalTime("submitted"), details.optionalTime("process")));
    }
  }

  /**
   * Times that precede the work of an ApplicationMaster; each is null if unknown.
   *
   * @param submittedAt when the ResourceManager received the application, by the ResourceManager's
   *     clock
   * @param processStartedAt when the ApplicationMaster's JVM started, by the clock of its node
   */
  record LaunchTimes(@Nullable Instant submittedAt, @Nullable Instant processStartedAt) {
    public static final LaunchTimes UNKNOWN = new LaunchTimes(null, null);
  }

  /**
   * Who submitted the job, and with which options. Recorded only once, by the first
   * ApplicationMaster.
   */
  record Described(JobDescription description) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.JOB_DESCRIBED;
    }

    @Override
    public Details details() {
      return description.details();
    }

    public static Described of(JobEvent event) {
      return new Described(JobDescription.of(Details.of(event)));
    }
  }

  /**
   * The job accepts no further containers on a node.
   *
   * @param message why the node is avoided, for display
   * @param failedPreflightCount number of nodes avoided so far because of a failed preflight check,
   *     including this one; null if the node is avoided because a task was lost on it
   */
  record NodeAvoided(String node, String message, @Nullable Integer failedPreflightCount)
      implements JobFact {
    /** Creates the fact for a node that is avoided because a task was lost on it. */
    public NodeAvoided(String node, String message) {
      this(node, message, null);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.NODE_AVOIDED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("node", node)
          .with("message", message)
          .withNonEmpty("unfit", failedPreflightCount);
    }

    public static NodeAvoided of(JobEvent event) {
      Details details = Details.of(event);
      return new NodeAvoided(
          details.text("node"), details.text("message"), details.optionalNumber("unfit"));
    }
  }

  /** The job accepts containers on all nodes again, including those that it had avoided. */
  record NodesForgiven() implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.NODES_FORGIVEN;
    }

    @Override
    public Details details() {
      return Details.empty();
    }
  }

  /**
   * The job continues to its end without the tasks of a role.
   *
   * @param message why the job continues without the role, for display
   */
  record RoleExcused(String role, String message) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.ROLE_EXCUSED;
    }

    @Override
    public Details details() {
      return Details.empty().with("role", role).with("message", message);
    }

    public static RoleExcused of(JobEvent event) {
      Details details = Details.of(event);
      return new RoleExcused(details.text("role"), details.text("message"));
    }
  }

  /**
   * A user, or a program of another system, requested that the job end.
   *
   * @param requester who requested the end, for display
   */
  record StopRequested(String requester) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.STOP_REQUESTED;
    }

    @Override
    public Details details() {
      return Details.empty().with("who", requester);
    }

    public static StopRequested of(JobEvent event) {
      return new StopRequested(Details.of(event).text("who"));
    }
  }

  /**
   * The current resource usage of the tasks.
   *
   * @param usages usage in the text format of {@link io.tony.model.TaskUsage}; the keys are names
   *     of tasks, or {@code ROLE min}, {@code ROLE median} and {@code ROLE max} for the aggregates
   *     over a role
   */
  record UsageReport(Map<String, String> usages) implements JobFact {
    public UsageReport {
      usages = Collections.unmodifiableMap(new LinkedHashMap<>(usages));
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.METRICS;
    }

    @Override
    public Details details() {
      return Details.empty().withAll(usages);
    }

    public static UsageReport of(JobEvent event) {
      return new UsageReport(event.details());
    }
  }

  /**
   * A recommendation of better resource settings for the next run of this job, as a sentence for
   * display.
   */
  record Advice(String text) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.ADVICE;
    }

    @Override
    public Details details() {
      return Details.empty().with("text", text);
    }

    public static Advice of(JobEvent event) {
      return new Advice(Details.of(event).text("text"));
    }
  }

  /**
   * The event log could not be written within the write timeout. The job continues; the missing
   * events are written once the file system works again.
   *
   * @param message the cause, the consequence for the job and a remedy, for display
   */
  record LogBehind(String message) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.LOG_BEHIND;
    }

    @Override
    public Details details() {
      return Details.empty().with("message", message);
    }

    public static LogBehind of(JobEvent event) {
      return new LogBehind(Details.of(event).text("message"));
    }
  }

  /** The event log can be written again, and all missing events have been written. */
  record LogCaughtUp() implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.LOG_CAUGHT_UP;
    }

    @Override
    public Details details() {
      return Details.empty();
    }
  }

  /**
   * The result of the job is decided; all programs and containers that still run are being stopped.
   */
  record Stopping(JobResult result) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.JOB_STOPPING;
    }

    @Override
    public Details details() {
      return JobFact.resultDetails(result);
    }

    public static Stopping of(JobEvent event) {
      return new Stopping(JobFact.result(event));
    }
  }

  /** The job has finished: none of its programs or containers run any more. */
  record Finished(JobResult result) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.JOB_FINISHED;
    }

    @Override
    public Details details() {
      return JobFact.resultDetails(result);
    }

    public static Finished of(JobEvent event) {
      return new Finished(JobFact.result(event));
    }
  }

  private static Details resultDetails(JobResult result) {
    return Details.empty()
        .with("status", result.status())
        .withNonEmpty("kind", result.kind())
        .withNonEmpty("task", result.task())
        .withNonEmpty("exitCode", result.exitCode())
        .withNonEmpty("futile", result.futile() ? "true" : "")
        .with("message", result.message());
  }

  private static JobResult result(JobEvent event) {
    Details details = Details.of(event);
    return new JobResult(
        details.constant("status", JobResult.Status.class),
        details.optionalText("kind").isEmpty() ? null : details.failureKind("kind"),
        details.text("message"),
        details.optionalText("task").isEmpty()
            ? null
            : details.read("task", "a task", TaskId::parse),
        details.optionalNumber("exitCode"),
        !details.optionalText("futile").isEmpty() && details.flag("futile"));
  }
}
