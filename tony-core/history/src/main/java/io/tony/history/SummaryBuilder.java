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
import org.jspecify.annotations.Nullable;

/**
 * Builds the summary of one job from its events, which are added in the order of the log. Not
 * thread-safe.
 */
public final class SummaryBuilder {
  /** Maximum number of outputs in the summary of a job. */
  static final int MAX_OUTPUTS = 50;

  private static final int MAX_NAME_CHARS = 200;

  private static final String VIEWERS = JobOptions.VIEW_ACLS.key();

  /** Maximum number of characters of the list of users and groups who may see a job. */
  static final int MAX_VIEWERS_CHARS = 4 * 1024;

  private static final int MAX_ROLES = 50;

  /**
   * Maximum number of tasks whose outputs are kept while the log is read: as many as the largest
   * jobs have.
   */
  private static final int MAX_TASKS = 10_000;

  /**
   * Maximum memory for the outputs of all tasks of a job, in bytes: enough for one number per task.
   */
  static final long MAX_OUTPUTS_BYTES = 4L * 1024 * 1024;

  /** Memory for a task's outputs in addition to the outputs themselves, in bytes. */
  private static final int TASK_BYTES = 200;

  /** Memory that reading one log takes in addition to what was read, in bytes. */
  private static final int BASE_BYTES = 2_000;

  private final String application;
  private final Map<TaskId, Map<String, Double>> outputs = new LinkedHashMap<>();
  private long outputsSize;
  private final Map<String, Long> peaks = new HashMap<>();
  private JobDescription description = JobDescription.NONE;
  private String owner = "";
  private @Nullable JobResult result;
  private @Nullable Instant submitted;
  private @Nullable Instant started;
  private @Nullable Instant ended;
  private @Nullable Instant firstRunning;
  private int tasks;
  private int restarts;
  private String progress = "";
  private @Nullable Double goodput;

  public SummaryBuilder(String application) {
    this.application = application;
  }

  /**
   * Sets the owner of the log's folder, who is taken as the user of the job, whatever the log
   * contains.
   */
  public SummaryBuilder owner(String user) {
    owner = user;
    return this;
  }

  /**
   * Sets what YARN reports about a job that has not recorded any event yet; {@code since} is the
   * time of its submission.
   */
  public SummaryBuilder waiting(String queue, String name, Instant since) {
    description =
        new JobDescription(owner, queue, name, "", JobDescription.AzkabanStep.NONE, Map.of(), "");
    submitted = since;
    return this;
  }

  /** Adds an event. Ignores unknown and malformed events. */
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
      used.usages().forEach(this::recordUsage);
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

  /**
   * Returns a copy of {@code of} with only the options that a summary needs, because the
   * descriptions of many running jobs are kept in memory.
   */
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

  private void recordUsage(String name, String use) {
    if (name.length() <= MAX_NAME_CHARS) {
      UsageSubject.role(name)
          .filter(role -> peaks.size() < MAX_ROLES || peaks.containsKey(role))
          .ifPresent(role -> recordPeak(role, use));
    }
  }

  private void recordPeak(String role, String use) {
    try {
      peaks.merge(role, TaskUsage.parse(use).memoryMiB(), Math::max);
    } catch (IllegalArgumentException e) {
      // A malformed usage value must not remove the job from the history, so the value is ignored.
    }
  }

  /** Returns the approximate memory size in bytes, including what was read of the job so far. */
  long bytes() {
    long texts =
        JobSummary.bytes(progress)
            + JobSummary.bytes(description.options().getOrDefault(VIEWERS, ""))
            + peaks.keySet().stream()
                .mapToLong(role -> JobSummary.ENTRY_BYTES + JobSummary.bytes(role))
                .sum();
    return BASE_BYTES + 2 * (texts + outputsSize);
  }

  /** Returns true if no event was recorded. */
  public boolean isEmpty() {
    return started == null;
  }

  /** Returns true if the end of the job was recorded. */
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

  /**
   * Returns {@code viewers}; empty if it is too long, because a truncated list could end in another
   * user's name.
   */
  private static String boundedViewers(String viewers) {
    return viewers.length() > MAX_VIEWERS_CHARS ? "" : viewers;
  }

  private static String truncated(String name) {
    return Strings.truncate(name, MAX_NAME_CHARS);
  }

  /**
   * Returns {@code time}; zero instead of a negative duration, which results from different clocks
   * of the ResourceManager and a node.
   */
  private static Duration positive(Duration time) {
    return time.isNegative() ? Duration.ZERO : time;
  }
}
