package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What can become of a job as a whole. */
public sealed interface JobFact extends Fact {

  /** Told by the client, not the log: YARN has the application. */
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
   * An ApplicationMaster took the job up.
   *
   * @param attempt of the application, from 1
   * @param taskCount of the whole job
   * @param recoveredTaskCount how many running tasks it took over; null for the first
   *     ApplicationMaster
   */
  record MasterStarted(
      int attempt, String host, int taskCount, Integer recoveredTaskCount, LaunchTimes launchTimes)
      implements JobFact {
    /** One that tells nothing of what came before it. */
    public MasterStarted(int attempt, String host, int taskCount, Integer recoveredTaskCount) {
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
   * What came before an ApplicationMaster; null where that is not known.
   *
   * @param submittedAt when the ResourceManager got the application, by its clock
   * @param processStartedAt when the ApplicationMaster's JVM started, by the clock of its node
   */
  record LaunchTimes(Instant submittedAt, Instant processStartedAt) {
    public static final LaunchTimes UNKNOWN = new LaunchTimes(null, null);
  }

  /** Whose job it is, and what it was asked to do; told once, by its first ApplicationMaster. */
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

  /** No container is taken on a node from now on. */
  record NodeAvoided(String node, String message, Integer failedPreflightCount) implements JobFact {
    /** One on which a task was lost. */
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

  /** All nodes are good again. */
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

  /** The job goes on to its end without a role. */
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

  /** Somebody wants the job to end. */
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
   * What the tasks use now. The names are those of tasks, or {@code ROLE min}, {@code ROLE median}
   * and {@code ROLE max}; the values are a {@link io.tony.model.TaskUsage} each.
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

  /** What the next job of the kind should ask for instead. */
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

  /** The log has not been written for too long; the job goes on without it. */
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

  /** The log is written again, with all that was missing. */
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

  /** How the job ends is decided; what still runs is stopped. */
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

  /** Nothing of the job runs any more. */
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
