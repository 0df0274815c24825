package io.tony.fact;

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
      return Details.none()
          .with("application", application)
          .with("queue", queue)
          .with("trackingUrl", trackingUrl);
    }

    public static Submitted of(JobEvent event) {
      Details of = Details.of(event);
      return new Submitted(of.text("application"), of.text("queue"), of.text("trackingUrl"));
    }
  }

  /**
   * An ApplicationMaster took the job up.
   *
   * @param attempt of the application, from 1
   * @param tasks of the whole job
   * @param running how many running tasks it took over; null for the first ApplicationMaster
   */
  record MasterStarted(int attempt, String host, int tasks, Integer running, Origin origin)
      implements JobFact {
    /** One that tells nothing of what came before it. */
    public MasterStarted(int attempt, String host, int tasks, Integer running) {
      this(attempt, host, tasks, running, Origin.UNKNOWN);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.AM_STARTED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("attempt", attempt)
          .with("host", host)
          .with("tasks", tasks)
          .withAny("running", running)
          .withAny("submitted", origin.submitted())
          .withAny("process", origin.process());
    }

    public static MasterStarted of(JobEvent event) {
      Details of = Details.of(event);
      return new MasterStarted(
          of.number("attempt"),
          of.text("host"),
          of.number("tasks"),
          of.anyNumber("running"),
          new Origin(of.anyTime("submitted"), of.anyTime("process")));
    }
  }

  /**
   * What came before an ApplicationMaster; null where that is not known.
   *
   * @param submitted when the ResourceManager got the application, by its clock
   * @param process when the ApplicationMaster's JVM started, by the clock of its node
   */
  record Origin(Instant submitted, Instant process) {
    public static final Origin UNKNOWN = new Origin(null, null);
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
  record NodeAvoided(String node, String message, Integer unfit) implements JobFact {
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
      return Details.none().with("node", node).with("message", message).withAny("unfit", unfit);
    }

    public static NodeAvoided of(JobEvent event) {
      Details of = Details.of(event);
      return new NodeAvoided(of.text("node"), of.text("message"), of.anyNumber("unfit"));
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
      return Details.none();
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
      return Details.none().with("role", role).with("message", message);
    }

    public static RoleExcused of(JobEvent event) {
      Details of = Details.of(event);
      return new RoleExcused(of.text("role"), of.text("message"));
    }
  }

  /** Somebody wants the job to end. */
  record StopRequested(String who) implements JobFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.STOP_REQUESTED;
    }

    @Override
    public Details details() {
      return Details.none().with("who", who);
    }

    public static StopRequested of(JobEvent event) {
      return new StopRequested(Details.of(event).text("who"));
    }
  }

  /**
   * What the tasks use now. The names are those of tasks, or {@code ROLE min}, {@code ROLE median}
   * and {@code ROLE max}; the values are a {@link io.tony.model.TaskUse} each.
   */
  record Used(Map<String, String> uses) implements JobFact {
    public Used {
      uses = Collections.unmodifiableMap(new LinkedHashMap<>(uses));
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.METRICS;
    }

    @Override
    public Details details() {
      return Details.none().withAll(uses);
    }

    public static Used of(JobEvent event) {
      return new Used(event.details());
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
      return Details.none().with("text", text);
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
      return Details.none().with("message", message);
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
      return Details.none();
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
      return JobFact.written(result);
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
      return JobFact.written(result);
    }

    public static Finished of(JobEvent event) {
      return new Finished(JobFact.result(event));
    }
  }

  private static Details written(JobResult result) {
    return Details.none()
        .with("status", result.status())
        .withAny("kind", result.kind())
        .withAny("task", result.task())
        .withAny("exitCode", result.exitCode())
        .withAny("futile", result.futile() ? "true" : "")
        .with("message", result.message());
  }

  private static JobResult result(JobEvent event) {
    Details of = Details.of(event);
    return new JobResult(
        of.constant("status", JobResult.Status.class),
        of.any("kind").isEmpty() ? null : of.failure("kind"),
        of.text("message"),
        of.any("task").isEmpty() ? null : of.read("task", "a task", TaskId::parse),
        of.anyNumber("exitCode"),
        !of.any("futile").isEmpty() && of.flag("futile"));
  }
}
