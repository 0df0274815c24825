package io.tony.history;

import io.tony.fact.Fact;
import io.tony.fact.GangFact;
import io.tony.fact.JobDescription;
import io.tony.fact.JobFact;
import io.tony.fact.TaskFact;
import io.tony.model.Beginning;
import io.tony.model.FailureKind;
import io.tony.model.Fraction;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import io.tony.model.TaskUse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a job was, in a few lines: the fold of its events. {@code docs/history.md} describes the
 * fields. Texts are empty where they are not known; what is null is said below.
 *
 * @param step in Azkaban; {@link JobDescription.Step#NONE} outside it
 * @param kind of its failure; null while it runs and when it succeeded
 * @param submitted null where YARN did not tell it
 * @param started when its first ApplicationMaster did; null where nothing is recorded
 * @param ended null while it runs, and when its end was not recorded
 * @param restarts of tasks and of the gang
 * @param queueWait from the submission until the gang ran first; null when it has not
 * @param outputs what its programs left that is a number, by name; the last of each
 * @param peakMemoryMiB of one task, by role
 * @param progress what a program told last of how far it is
 * @param fraction the same as a number from 0 to 1; null where it told none
 */
public record JobSummary(
    String application,
    String user,
    String queue,
    String name,
    String framework,
    JobDescription.Step step,
    Status status,
    FailureKind kind,
    String message,
    Instant submitted,
    Instant started,
    Instant ended,
    int tasks,
    int restarts,
    Duration queueWait,
    Map<String, Double> outputs,
    Map<String, Long> peakMemoryMiB,
    String progress,
    Double fraction) {

  /** How it is with a job. */
  public enum Status {
    /** Its end is not recorded, and somebody may go on with it. */
    RUNNING,
    SUCCEEDED,
    FAILED,
    KILLED,
    /** Its end is not recorded, and nobody writes its log any more. */
    LOST;

    static Status of(JobResult.Status status) {
      return switch (status) {
        case SUCCEEDED -> SUCCEEDED;
        case FAILED -> FAILED;
        case KILLED -> KILLED;
      };
    }
  }

  /** Characters of a message or of a line of progress: a hundred thousand of them are kept. */
  static final int MOST_TEXT = 400;

  /** Outputs of one job that are kept, and the characters of the name of one. */
  static final int MOST_OUTPUTS = 50;

  private static final int MOST_NAME = 200;
  private static final int MOST_ROLES = 50;

  public JobSummary {
    // Many jobs have these in common.
    user = user.intern();
    queue = queue.intern();
    name = name.intern();
    framework = framework.intern();
    message = message.intern();
    outputs = Map.copyOf(outputs);
    peakMemoryMiB = Map.copyOf(peakMemoryMiB);
  }

  /** When it began, as far as that is known; {@link Instant#EPOCH} where nothing is. */
  public Instant begin() {
    return submitted != null ? submitted : started != null ? started : Instant.EPOCH;
  }

  /** From its begin to its end, or until {@code now} while it runs; null for a lost one. */
  public Duration duration(Instant now) {
    Instant end = status == Status.RUNNING ? now : ended;
    return end == null || begin().equals(Instant.EPOCH) ? null : Duration.between(begin(), end);
  }

  JobSummary lost(String why) {
    return new JobSummary(
        application, user, queue, name, framework, step, Status.LOST, FailureKind.AM_LOST, why,
        submitted, started, null, tasks, restarts, queueWait, outputs, peakMemoryMiB, progress,
        fraction);
  }

  /** Takes the events of one job in their order. For one thread. */
  public static final class Builder {
    private final String application;
    private final Map<TaskId, Map<String, Double>> outputs = new LinkedHashMap<>();
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

    public Builder(String application) {
      this.application = application;
    }

    /** Whose folder it is: that is whose job it is, whatever its log says. */
    public Builder owner(String user) {
      owner = user;
      return this;
    }

    /** What this version does not know, or makes no sense, is passed over. */
    public void add(JobEvent event) {
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
        description = described.description();
      } else if (fact instanceof GangFact.Running) {
        running = running == null ? at : running;
      } else if (fact instanceof GangFact.Restarted gang) {
        restarts++;
        outputs.keySet().removeIf(task -> !gang.done().contains(task.role()));
      } else if (fact instanceof TaskFact.Restarted) {
        restarts++;
      } else if (fact instanceof TaskFact.Progressed line) {
        progress = Beginning.of(line.text(), MOST_TEXT);
      } else if (fact instanceof TaskFact.Succeeded success) {
        outputs.put(success.task(), numbers(success.outputs()));
      } else if (fact instanceof JobFact.Used used) {
        used.uses().forEach(this::peak);
      } else if (fact instanceof JobFact.Finished finished) {
        result = finished.result();
        ended = at;
      }
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

    /** The name is that of a task, or of a role and what of all its tasks the use is. */
    private void peak(String name, String use) {
      String role = name.replaceFirst(":\\d+$| max$", "");
      if (!role.equals(name) && (peaks.size() < MOST_ROLES || peaks.containsKey(role))) {
        try {
          peaks.merge(role, TaskUse.parse(use).memoryMiB(), Math::max);
        } catch (IllegalArgumentException e) {
          // A chart is no reason to leave a job out.
        }
      }
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
      OptionalDouble fraction = Fraction.of(progress);
      Instant begin = submitted == null ? started : submitted;
      return new JobSummary(
          application,
          owner.isEmpty() ? shortened(description.user()) : owner,
          shortened(description.queue()),
          shortened(description.name()),
          shortened(description.framework()),
          step(description.step()),
          result == null ? Status.RUNNING : Status.of(result.status()),
          result == null ? null : result.kind(),
          result == null ? "" : Beginning.of(result.message(), MOST_TEXT),
          submitted,
          started,
          ended,
          tasks,
          restarts,
          running == null ? null : positive(Duration.between(begin, running)),
          last,
          peaks,
          progress,
          fraction.isPresent() ? fraction.getAsDouble() : null);
    }

    private static JobDescription.Step step(JobDescription.Step of) {
      return new JobDescription.Step(
          shortened(of.project()).intern(),
          shortened(of.flow()).intern(),
          shortened(of.job()).intern(),
          shortened(of.execution()),
          of.attempt());
    }

    private static String shortened(String name) {
      return Beginning.of(name, MOST_NAME);
    }

    /** The ResourceManager's clock and that of a node may differ. */
    private static Duration positive(Duration time) {
      return time.isNegative() ? Duration.ZERO : time;
    }
  }
}
