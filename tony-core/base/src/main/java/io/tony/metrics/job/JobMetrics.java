package io.tony.metrics.job;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.metrics.PrometheusText;
import io.tony.metrics.ReportedProgress;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.timeline.GoodputReducer;
import io.tony.timeline.Stage;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Computes the metrics of a job from its events, in the order of the event log. An event costs the
 * same in a log of any length; only a restart of the gang visits every task. The size of the output
 * depends on the number of roles, at most {@value #MAX_ROLES}, and not on the number of tasks.
 */
public final class JobMetrics {
  /** Maximum number of roles with metrics; further roles are left out. */
  static final int MAX_ROLES = 50;

  private static final double MILLIS = 1_000;

  private final String application;
  private final GoodputReducer goodput = new GoodputReducer();
  private final TaskStates tasks = new TaskStates();
  private final RoleUsageMetrics roleUsage = new RoleUsageMetrics();
  private final Map<String, Integer> taskRestarts = new TreeMap<>();
  private final Map<FailureKind, Integer> failures = new EnumMap<>(FailureKind.class);
  private JobDescription description = JobDescription.NONE;
  private @Nullable Instant submittedAt; // null before the first event
  private @Nullable Instant firstRunningAt; // null before the gang runs for the first time
  private @Nullable Instant finishedAt; // null before the last event
  private double progress = Double.NaN;
  private int jobTasks;
  private int gangRestarts;
  private int skippedLines;
  private boolean logBehind;

  public JobMetrics(String application) {
    this.application = application;
  }

  /**
   * Applies the next event. Events that are malformed or that this version does not know are only
   * counted.
   */
  public void add(JobEvent event) {
    try {
      Optional<Fact> parsed = Fact.of(event);
      goodput.add(event);
      parsed.ifPresent(fact -> add(event.time(), fact));
      skippedLines += parsed.isEmpty() ? 1 : 0;
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      skippedLines++;
    }
  }

  /** Counts a line of the event log that is not an event. */
  public void skipLine() {
    skippedLines++;
  }

  private void add(Instant at, Fact fact) {
    submittedAt = submittedAt == null ? at : submittedAt;
    if (fact instanceof TaskFact task) {
      if (tasks.hasRoom(task.task(), MAX_ROLES)) {
        tasks.add(task);
      }
      add(task);
    } else if (fact instanceof GangFact gang) {
      add(at, gang);
    } else if (fact instanceof ResizeFact.Resized resized) {
      jobTasks += resized.taskCountChange();
      tasks.add(resized);
    } else if (fact instanceof JobFact job) {
      add(at, job);
    }
  }

  private void add(TaskFact fact) {
    if (fact instanceof TaskFact.Failed failed) {
      failures.merge(failed.kind(), 1, Integer::sum);
    } else if (fact instanceof TaskFact.Restarted restarted) {
      if (taskRestarts.size() < MAX_ROLES || taskRestarts.containsKey(fact.task().role())) {
        taskRestarts.merge(restarted.task().role(), 1, Integer::sum);
      }
    } else if (fact instanceof TaskFact.Progressed progressed) {
      OptionalDouble fraction = ReportedProgress.fraction(progressed.text());
      if (fraction.isPresent() && progressed.task().equals(goodput.progressReporter())) {
        progress = fraction.getAsDouble();
      }
    }
  }

  private void add(Instant at, GangFact fact) {
    if (fact instanceof GangFact.Running) {
      firstRunningAt = firstRunningAt == null ? at : firstRunningAt;
    } else if (fact instanceof GangFact.BackedOff) {
      tasks.releaseContainers();
    } else if (fact instanceof GangFact.Restarted gang) {
      gangRestarts++;
      tasks.add(gang);
      roleUsage.clear();
    }
  }

  private void add(Instant at, JobFact fact) {
    if (fact instanceof JobFact.MasterStarted master) {
      jobTasks = master.taskCount();
      // A later ApplicationMaster writes a log file of its own, which is not behind.
      logBehind = false;
      Instant origin = master.launchTimes().submittedAt();
      submittedAt = origin != null && origin.isBefore(submittedAt) ? origin : submittedAt;
    } else if (fact instanceof JobFact.Described described) {
      description = described.description();
    } else if (fact instanceof JobFact.UsageReport used) {
      roleUsage.replace(used.usages(), MAX_ROLES);
    } else if (fact instanceof JobFact.LogBehind) {
      logBehind = true;
    } else if (fact instanceof JobFact.LogCaughtUp) {
      logBehind = false;
    } else if (fact instanceof JobFact.Stopping) {
      roleUsage.clear();
    } else if (fact instanceof JobFact.Finished) {
      finishedAt = at;
    }
  }

  /**
   * Returns all metrics in Prometheus' text format.
   *
   * @param now time until which the durations of a running job count
   */
  public String text(Instant now) {
    Instant at = finishedAt == null ? now : finishedAt;
    PrometheusText text = new PrometheusText();
    writeJob(text, at);
    writeTasks(text);
    roleUsage.write(text);
    return text.with(JobMetric.LOG_BEHIND.metric(), logBehind ? 1 : 0)
        .with(JobMetric.LINES_PASSED_OVER.metric(), skippedLines)
        .toString();
  }

  private void writeJob(PrometheusText text, Instant at) {
    text.with(
        JobMetric.INFO.metric(),
        samples ->
            samples.add(
                1,
                application,
                description.user(),
                description.queue(),
                description.name(),
                description.framework()));
    if (submittedAt == null) {
      // Before the first event, the other metrics of the job are not known.
      return;
    }
    Stage now = goodput.stage();
    text.with(
        JobMetric.PHASE.metric(),
        samples -> {
          for (Stage stage : Stage.values()) {
            samples.add(stage == now ? 1 : 0, stage.name().toLowerCase(Locale.ROOT));
          }
        });
    Duration wait = Duration.between(submittedAt, firstRunningAt == null ? at : firstRunningAt);
    text.with(JobMetric.QUEUE_WAIT.metric(), Math.max(0, wait.toMillis()) / MILLIS);
    UsageFact.Goodput time = goodput.at(at);
    text.with(
            JobMetric.TIME.metric(),
            samples -> {
              samples.add(time.queuedMs() / MILLIS, "queue");
              samples.add(time.startingMs() / MILLIS, "starting");
              samples.add(time.trainingMs() / MILLIS, "training");
              samples.add(time.totalLostMs() / MILLIS, "lost");
              samples.add(time.stoppingMs() / MILLIS, "stopping");
            })
        .with(JobMetric.GOODPUT.metric(), time.trainingShare());
    if (!Double.isNaN(progress)) {
      text.with(JobMetric.PROGRESS.metric(), progress);
    }
  }

  private void writeTasks(PrometheusText text) {
    Map<String, Map<TaskStates.State, Integer>> counts = tasks.counts();
    text.with(JobMetric.JOB_TASKS.metric(), jobTasks)
        .with(
            JobMetric.TASKS.metric(),
            samples ->
                counts.forEach(
                    (role, states) ->
                        states.forEach((state, count) -> samples.add(count, role, state.label()))))
        .with(
            JobMetric.TASK_FAILURES.metric(),
            samples -> {
              for (FailureKind kind : FailureKind.values()) {
                // No failure of a task has this kind; only restarts of the gang have it.
                if (kind != FailureKind.RESIZED) {
                  samples.add(failures.getOrDefault(kind, 0), kind.name());
                }
              }
            })
        .with(
            JobMetric.TASK_RESTARTS.metric(),
            samples ->
                counts
                    .keySet()
                    .forEach(role -> samples.add(taskRestarts.getOrDefault(role, 0), role)))
        .with(JobMetric.GANG_RESTARTS.metric(), gangRestarts);
  }
}
