package io.tony.am.scrape;

import io.tony.fact.Fact;
import io.tony.fact.GangFact;
import io.tony.fact.JobDescription;
import io.tony.fact.JobFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
import io.tony.metrics.PrometheusText;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.Reached;
import io.tony.timeline.GoodputFold;
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

/**
 * The figures of a job: the fold of its events, in the order of its log. An event costs the same
 * however many there were; only a restart of the gang looks at each task. What is told grows with
 * the roles, of which there are {@value #MOST_ROLES} at most, and not with the tasks.
 */
public final class JobMetrics {
  /** The roles that come first; a job has few. */
  static final int MOST_ROLES = 50;

  private static final double MILLIS = 1_000;

  private final String application;
  private final GoodputFold goodput = new GoodputFold();
  private final TaskStates tasks = new TaskStates();
  private final RoleUses uses = new RoleUses();
  private final Map<String, Integer> taskRestarts = new TreeMap<>();
  private final Map<FailureKind, Integer> failures = new EnumMap<>(FailureKind.class);
  private JobDescription description = JobDescription.NONE;
  private Instant submitted; // null before the first event
  private Instant running; // null before the gang ran first
  private Instant ended; // null before the last event
  private double progress = Double.NaN;
  private int jobTasks;
  private int gangRestarts;
  private int passedOver;
  private boolean behind;

  public JobMetrics(String application) {
    this.application = application;
  }

  /** The next event. One that makes no sense is passed over. */
  public void add(JobEvent event) {
    try {
      Optional<Fact> known = Fact.of(event);
      goodput.add(event);
      known.ifPresent(fact -> add(event.time(), fact));
      passedOver += known.isEmpty() ? 1 : 0;
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      passedOver++;
    }
  }

  /** A line of the log that is no event. */
  public void passOver() {
    passedOver++;
  }

  private void add(Instant at, Fact fact) {
    submitted = submitted == null ? at : submitted;
    if (fact instanceof TaskFact task) {
      if (tasks.hasRoom(task.task(), MOST_ROLES)) {
        tasks.add(task);
      }
      add(task);
    } else if (fact instanceof GangFact gang) {
      add(at, gang);
    } else if (fact instanceof SizeFact.Resized resized) {
      jobTasks += resized.more();
      tasks.add(resized);
    } else if (fact instanceof JobFact job) {
      add(at, job);
    }
  }

  private void add(TaskFact fact) {
    if (fact instanceof TaskFact.Failed failed) {
      failures.merge(failed.kind(), 1, Integer::sum);
    } else if (fact instanceof TaskFact.Restarted restarted) {
      if (taskRestarts.size() < MOST_ROLES || taskRestarts.containsKey(fact.task().role())) {
        taskRestarts.merge(restarted.task().role(), 1, Integer::sum);
      }
    } else if (fact instanceof TaskFact.Progressed told) {
      OptionalDouble fraction = Reached.fraction(told.text());
      if (fraction.isPresent() && told.task().equals(goodput.teller())) {
        progress = fraction.getAsDouble();
      }
    }
  }

  private void add(Instant at, GangFact fact) {
    if (fact instanceof GangFact.Running) {
      running = running == null ? at : running;
    } else if (fact instanceof GangFact.BackedOff) {
      tasks.giveBack();
    } else if (fact instanceof GangFact.Restarted gang) {
      gangRestarts++;
      tasks.add(gang);
      uses.clear();
    }
  }

  private void add(Instant at, JobFact fact) {
    if (fact instanceof JobFact.MasterStarted master) {
      jobTasks = master.tasks();
      behind = false; // a later one writes a file of its own
      Instant origin = master.origin().submitted();
      submitted = origin != null && origin.isBefore(submitted) ? origin : submitted;
    } else if (fact instanceof JobFact.Described described) {
      description = described.description();
    } else if (fact instanceof JobFact.Used used) {
      uses.replace(used.uses(), MOST_ROLES);
    } else if (fact instanceof JobFact.LogBehind) {
      behind = true;
    } else if (fact instanceof JobFact.LogCaughtUp) {
      behind = false;
    } else if (fact instanceof JobFact.Stopping) {
      uses.clear();
    } else if (fact instanceof JobFact.Finished) {
      ended = at;
    }
  }

  /** All of it in Prometheus' format, as it is at this moment. */
  public String text(Instant now) {
    Instant at = ended == null ? now : ended;
    PrometheusText text = new PrometheusText();
    writeJob(text, at);
    writeTasks(text);
    uses.write(text);
    return text.with(JobMetric.LOG_BEHIND.metric(), behind ? 1 : 0)
        .with(JobMetric.LINES_PASSED_OVER.metric(), passedOver)
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
    if (submitted == null) {
      return; // nothing is recorded yet
    }
    Stage now = goodput.stage();
    text.with(
        JobMetric.PHASE.metric(),
        samples -> {
          for (Stage stage : Stage.values()) {
            samples.add(stage == now ? 1 : 0, stage.name().toLowerCase(Locale.ROOT));
          }
        });
    Duration wait = Duration.between(submitted, running == null ? at : running);
    text.with(JobMetric.QUEUE_WAIT.metric(), Math.max(0, wait.toMillis()) / MILLIS);
    UsageFact.Goodput time = goodput.at(at);
    text.with(
            JobMetric.TIME.metric(),
            samples -> {
              samples.add(time.queue() / MILLIS, "queue");
              samples.add(time.starting() / MILLIS, "starting");
              samples.add(time.training() / MILLIS, "training");
              samples.add(time.lostInAll() / MILLIS, "lost");
              samples.add(time.stopping() / MILLIS, "stopping");
            })
        .with(JobMetric.GOODPUT.metric(), time.share());
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
                        states.forEach((state, count) -> samples.add(count, role, state.word()))))
        .with(
            JobMetric.TASK_FAILURES.metric(),
            samples -> {
              for (FailureKind kind : FailureKind.values()) {
                if (kind != FailureKind.RESIZED) { // no task fails of that
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
