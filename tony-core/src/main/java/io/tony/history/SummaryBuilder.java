package io.tony.history;

import io.tony.config.declared.JobOptions;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.event.UsageSubject;
import io.tony.metrics.ReportedProgress;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import io.tony.text.Strings;
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
  static final int MAX_OUTPUTS = 50;

  private static final int MAX_NAME_CHARS = 200;

  private static final String VIEWERS = JobOptions.VIEW_ACLS.key();

  /** Characters of the users and groups who may see a job. */
  static final int MAX_VIEWERS_CHARS = 4 * 1024;

  private static final int MAX_ROLES = 50;

  /** Tasks whose outputs are kept while the log is read: as many as the largest job has. */
  private static final int MAX_TASKS = 10_000;

  /** Maximum bytes of memory for their outputs: a figure of each of so many tasks. */
  static final long MAX_OUTPUTS_BYTES = 4L * 1024 * 1024;

  /** What a task takes there without its outputs. */
  private static final int TASK_BYTES = 200;

  /** What a log takes that is read on, without what stands in it. */
  private static final int BASE_BYTES = 2_000;

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
  private Instant firstRunning;
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
        new JobDescription(owner, queue, name, "", JobDescription.AzkabanStep.NONE, Map.of(), "");
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
    fact.ifPresent(parsed -> add(event.time(), parsed));
  }

  private void add(Instant at, Fact fact) {
    if (fact instanceof JobFact.MasterStarted master) {
      tasks = master.taskCount();
      submitted = submitted == null ? master.launchTimes().submittedAt() : submitted;
    } else if (fact instanceof JobFact.Described described) {
      description = brief(described.description());
    } else if (fact instanceof GangFact.Running) {
      firstRunning = firstRunning == null ? at : firstRunning;
    } else if (fact instanceof GangFact.Restarted gang) {
      restarts++;
      forgetOutputs(task -> !gang.finishedRoles().contains(task.role()));
    } else if (fact instanceof ResizeFact.Resized resized) {
      tasks += resized.taskCountChange();
      forgetOutputs(resized::isGone);
    } else if (fact instanceof TaskFact.Restarted) {
      restarts++;
    } else if (fact instanceof TaskFact.Progressed line) {
      progress = Strings.truncate(line.text(), JobSummary.MAX_TEXT_CHARS);
    } else if (fact instanceof TaskFact.Succeeded success) {
      storeOutputs(success.task(), numbers(success.outputs()));
    } else if (fact instanceof JobFact.UsageReport used) {
      used.usages().forEach(this::peak);
    } else if (fact instanceof UsageFact.Goodput goodputFact) {
      goodput = goodputFact.trainingShare();
    } else if (fact instanceof JobFact.Finished finished) {
      result = finished.result();
      ended = at;
    }
  }

  private void forgetOutputs(Predicate<TaskId> which) {
    outputs.keySet().removeIf(which);
    outputsSize = outputs.values().stream().mapToLong(SummaryBuilder::size).sum();
  }

  private void storeOutputs(TaskId task, Map<String, Double> numbers) {
    long before = outputs.containsKey(task) ? size(outputs.get(task)) : 0;
    long size = outputsSize - before + size(numbers);
    if (task.role().length() <= MAX_NAME_CHARS
        && size <= MAX_OUTPUTS_BYTES
        && (outputs.size() < MAX_TASKS || outputs.containsKey(task))) {
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
        truncated(of.user()),
        truncated(of.queue()),
        truncated(of.name()),
        truncated(of.framework()),
        step(of.step()),
        viewers.isEmpty() ? Map.of() : Map.of(VIEWERS, boundedViewers(viewers)),
        "");
  }

  private static Map<String, Double> numbers(Map<String, String> outputs) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    outputs.forEach(
        (name, text) -> {
          if (numbers.size() < MAX_OUTPUTS && name.length() <= MAX_NAME_CHARS) {
            number(text).ifPresent(value -> numbers.put(name, value));
          }
        });
    return numbers;
  }

  private static OptionalDouble number(String text) {
    try {
      double value =
          text.length() <= MAX_NAME_CHARS ? Double.parseDouble(text.strip()) : Double.NaN;
      return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  private void peak(String name, String use) {
    if (name.length() <= MAX_NAME_CHARS) {
      UsageSubject.role(name)
          .filter(role -> peaks.size() < MAX_ROLES || peaks.containsKey(role))
          .ifPresent(role -> peakOf(role, use));
    }
  }

  private void peakOf(String role, String use) {
    try {
      peaks.merge(role, TaskUsage.parse(use).memoryMiB(), Math::max);
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
    return BASE_BYTES + 2 * (texts + outputsSize);
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
    last.keySet().removeAll(last.keySet().stream().skip(MAX_OUTPUTS).toList());
    OptionalDouble fraction = ReportedProgress.fraction(progress);
    Instant begin = submitted == null ? started : submitted;
    return new JobSummary(
        application,
        owner.isEmpty() ? truncated(description.user()) : owner,
        truncated(description.queue()),
        truncated(description.name()),
        truncated(description.framework()),
        step(description.step()),
        result == null ? JobSummary.Status.RUNNING : JobSummary.Status.of(result.status()),
        result == null ? null : result.kind(),
        result == null ? "" : Strings.truncate(result.message(), JobSummary.MAX_TEXT_CHARS),
        submitted,
        started,
        ended,
        tasks,
        restarts,
        firstRunning == null ? null : positive(Duration.between(begin, firstRunning)),
        last,
        peaks,
        progress,
        fraction.isPresent() ? fraction.getAsDouble() : null,
        goodput,
        description.options().getOrDefault(VIEWERS, ""));
  }

  private static JobDescription.AzkabanStep step(JobDescription.AzkabanStep of) {
    return new JobDescription.AzkabanStep(
        truncated(of.project()).intern(),
        truncated(of.flow()).intern(),
        truncated(of.job()).intern(),
        truncated(of.execution()),
        of.attempt());
  }

  /** A list that is cut would name others: one that is too long names nobody. */
  private static String boundedViewers(String viewers) {
    return viewers.length() > MAX_VIEWERS_CHARS ? "" : viewers;
  }

  private static String truncated(String name) {
    return Strings.truncate(name, MAX_NAME_CHARS);
  }

  /** The ResourceManager's clock and that of a node may differ. */
  private static Duration positive(Duration time) {
    return time.isNegative() ? Duration.ZERO : time;
  }
}
