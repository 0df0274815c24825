package io.tony.history;

import io.tony.config.declared.JobOptions;
import io.tony.fact.Fact;
import io.tony.fact.GangFact;
import io.tony.fact.JobDescription;
import io.tony.fact.JobFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
import io.tony.fact.UsedBy;
import io.tony.model.Beginning;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.Reached;
import io.tony.model.TaskId;
import io.tony.model.TaskUse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/** Takes the events of one job in their order. For one thread. */
public final class SummaryBuilder {
  /** Outputs of one job that are kept, and the characters of the name of one. */
  static final int MOST_OUTPUTS = 50;

  private static final int MOST_NAME = 200;

  private static final String VIEWERS = JobOptions.VIEW_ACLS.key();

  /** Characters of the users and groups who may see a job. */
  static final int MOST_VIEWERS = 4 * 1024;

  private static final int MOST_ROLES = 50;

  /** Tasks whose outputs are kept while the log is read: as many as the largest job has. */
  private static final int MOST_TASKS = 10_000;

  /** Maximum bytes of memory for their outputs: a figure of each of so many tasks. */
  static final long MAX_OUTPUTS_BYTES = 4L * 1024 * 1024;

  /** What a task takes there without its outputs. */
  private static final int TASK_BYTES = 200;

  /** What a log takes that is read on, without what stands in it. */
  private static final int BYTES = 2_000;

  private final String application;
  private final Map<TaskId, Map<String, Double>> outputs = new LinkedHashMap<>();
  private long outputsSize;
  private final Map<String, Long> peaks = new HashMap<>();
  private JobDescription description = JobDescription.NONE;
  private String owner = "";
  private JobResult result;
  private Instant submitted;
  private Instant started;
  private Instant ended;
  private Instant running;
  private int tasks;
  private int restarts;
  private String progress = "";
  private Double goodput;

  public SummaryBuilder(String application) {
    this.application = application;
  }

  /** Whose folder it is: that is whose job it is, whatever its log says. */
  public SummaryBuilder owner(String user) {
    owner = user;
    return this;
  }

  /** What YARN knows of a job that has told nothing yet. */
  public SummaryBuilder waiting(String queue, String name, Instant since) {
    description =
        new JobDescription(owner, queue, name, "", JobDescription.Step.NONE, Map.of(), "");
    submitted = since;
    return this;
  }

  /** What this version does not know, or makes no sense, is passed over. */
  public void add(JobEvent event) {
    if (!JobSummary.isPlausible(event.time())) {
      return;
    }
    Optional<Fact> fact;
    try {
      fact = Fact.of(event);
    } catch (IllegalArgumentException e) {
      return;
    }
    if (started == null && event.type() != JobEvent.Type.JOB_SUBMITTED) {
      started = event.time();
    }
    fact.ifPresent(known -> add(event.time(), known));
  }

  private void add(Instant at, Fact fact) {
    if (fact instanceof JobFact.MasterStarted master) {
      tasks = master.tasks();
      submitted = submitted == null ? master.origin().submitted() : submitted;
    } else if (fact instanceof JobFact.Described described) {
      description = brief(described.description());
    } else if (fact instanceof GangFact.Running) {
      running = running == null ? at : running;
    } else if (fact instanceof GangFact.Restarted gang) {
      restarts++;
      forget(task -> !gang.done().contains(task.role()));
    } else if (fact instanceof SizeFact.Resized resized) {
      tasks += resized.more();
      forget(resized::isGone);
    } else if (fact instanceof TaskFact.Restarted) {
      restarts++;
    } else if (fact instanceof TaskFact.Progressed line) {
      progress = Beginning.of(line.text(), JobSummary.MOST_TEXT);
    } else if (fact instanceof TaskFact.Succeeded success) {
      keep(success.task(), numbers(success.outputs()));
    } else if (fact instanceof JobFact.Used used) {
      used.uses().forEach(this::peak);
    } else if (fact instanceof UsageFact.Goodput told) {
      goodput = told.share();
    } else if (fact instanceof JobFact.Finished finished) {
      result = finished.result();
      ended = at;
    }
  }

  private void forget(Predicate<TaskId> which) {
    outputs.keySet().removeIf(which);
    outputsSize = outputs.values().stream().mapToLong(SummaryBuilder::size).sum();
  }

  private void keep(TaskId task, Map<String, Double> numbers) {
    long before = outputs.containsKey(task) ? size(outputs.get(task)) : 0;
    long size = outputsSize - before + size(numbers);
    if (task.role().length() <= MOST_NAME
        && size <= MAX_OUTPUTS_BYTES
        && (outputs.size() < MOST_TASKS || outputs.containsKey(task))) {
      outputs.put(task, numbers);
      outputsSize = size;
    }
  }

  private static long size(Map<String, Double> numbers) {
    return TASK_BYTES
        + numbers.keySet().stream()
            .mapToLong(name -> JobSummary.ENTRY_BYTES + JobSummary.bytes(name))
            .sum();
  }

  /** Without most of its options: many jobs that run are held at a time. */
  private static JobDescription brief(JobDescription of) {
    String viewers = of.options().getOrDefault(VIEWERS, "");
    return new JobDescription(
        shortened(of.user()),
        shortened(of.queue()),
        shortened(of.name()),
        shortened(of.framework()),
        step(of.step()),
        viewers.isEmpty() ? Map.of() : Map.of(VIEWERS, whole(viewers)),
        "");
  }

  private static Map<String, Double> numbers(Map<String, String> outputs) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    outputs.forEach(
        (name, text) -> {
          if (numbers.size() < MOST_OUTPUTS && name.length() <= MOST_NAME) {
            number(text).ifPresent(value -> numbers.put(name, value));
          }
        });
    return numbers;
  }

  private static OptionalDouble number(String text) {
    try {
      double value = text.length() <= MOST_NAME ? Double.parseDouble(text.strip()) : Double.NaN;
      return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  private void peak(String name, String use) {
    if (name.length() <= MOST_NAME) {
      UsedBy.role(name)
          .filter(role -> peaks.size() < MOST_ROLES || peaks.containsKey(role))
          .ifPresent(role -> peakOf(role, use));
    }
  }

  private void peakOf(String role, String use) {
    try {
      peaks.merge(role, TaskUse.parse(use).memoryMiB(), Math::max);
    } catch (IllegalArgumentException e) {
      // A chart is no reason to leave a job out.
    }
  }

  /** About how many bytes of memory it takes, with the summary of what was read so far. */
  long bytes() {
    long texts =
        JobSummary.bytes(progress)
            + JobSummary.bytes(description.options().getOrDefault(VIEWERS, ""))
            + peaks.keySet().stream()
                .mapToLong(role -> JobSummary.ENTRY_BYTES + JobSummary.bytes(role))
                .sum();
    return BYTES + 2 * (texts + outputsSize);
  }

  /** True when nothing was recorded. */
  public boolean isEmpty() {
    return started == null;
  }

  /** True when its end was recorded. */
  public boolean isEnded() {
    return result != null;
  }

  public JobSummary build() {
    Map<String, Double> last = new LinkedHashMap<>();
    outputs.values().forEach(last::putAll);
    last.keySet().removeAll(last.keySet().stream().skip(MOST_OUTPUTS).toList());
    OptionalDouble fraction = Reached.fraction(progress);
    Instant begin = submitted == null ? started : submitted;
    return new JobSummary(
        application,
        owner.isEmpty() ? shortened(description.user()) : owner,
        shortened(description.queue()),
        shortened(description.name()),
        shortened(description.framework()),
        step(description.step()),
        result == null ? JobSummary.Status.RUNNING : JobSummary.Status.of(result.status()),
        result == null ? null : result.kind(),
        result == null ? "" : Beginning.of(result.message(), JobSummary.MOST_TEXT),
        submitted,
        started,
        ended,
        tasks,
        restarts,
        running == null ? null : positive(Duration.between(begin, running)),
        last,
        peaks,
        progress,
        fraction.isPresent() ? fraction.getAsDouble() : null,
        goodput,
        description.options().getOrDefault(VIEWERS, ""));
  }

  private static JobDescription.Step step(JobDescription.Step of) {
    return new JobDescription.Step(
        shortened(of.project()).intern(),
        shortened(of.flow()).intern(),
        shortened(of.job()).intern(),
        shortened(of.execution()),
        of.attempt());
  }

  /** A list that is cut would name others: one that is too long names nobody. */
  private static String whole(String viewers) {
    return viewers.length() > MOST_VIEWERS ? "" : viewers;
  }

  private static String shortened(String name) {
    return Beginning.of(name, MOST_NAME);
  }

  /** The ResourceManager's clock and that of a node may differ. */
  private static Duration positive(Duration time) {
    return time.isNegative() ? Duration.ZERO : time;
  }
}
