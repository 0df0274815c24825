package io.tony.timeline;

import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One start of one task. The instants are in order, and null where that has not happened, or is not
 * recorded.
 *
 * @param number of the start, as its program is told: it counts the starts of all tasks of the job
 * @param session how often the gang had been started again by then
 * @param node where its container is; empty before it has one
 * @param reusesContainer whether it is in the container of the start before
 * @param requested when a container was asked for; null where it is kept
 * @param allocated when there was one; of a kept one, when it was to start again
 * @param registered when its executor was there
 * @param started when its program ran
 * @param ended when it was over
 * @param end how; null while it is not over
 */
public record TaskAttempt(
    TaskId task,
    int number,
    int session,
    String node,
    boolean reusesContainer,
    Instant requested,
    Instant allocated,
    Instant registered,
    Instant started,
    Instant ended,
    End end) {

  /** How a start ends. */
  public enum End {
    SUCCEEDED,
    FAILED,
    /** The job no longer wanted it. */
    STOPPED,
    /** It is started again with its gang, or for another reason than its own. */
    RESTARTED,
    /** The gang gave its container back, to ask again. */
    GIVEN_BACK
  }

  /** What a task does, or waits for. */
  public enum Step {
    WAITING("waits for a container", "container"),
    LAUNCHING("executor starts", "executor"),
    GATHERING("waits for the others", "others"),
    RUNNING("program runs", "program");

    private final String label;
    private final String columnName;

    Step(String label, String columnName) {
      this.label = label;
      this.columnName = columnName;
    }

    /** What it waits for, or what is at work. */
    public String columnName() {
      return columnName;
    }

    /** In a few words. */
    public String label() {
      return label;
    }
  }

  /** The same as another start: the gang started again before it had a container. */
  TaskAttempt withNumber(int newNumber) {
    return new TaskAttempt(
        task,
        newNumber,
        session,
        node,
        reusesContainer,
        requested,
        allocated,
        registered,
        started,
        ended,
        end);
  }

  /** The time of one step. */
  public record StepSpan(Step step, Instant from, Instant to) {
    public Duration duration() {
      return Duration.between(from, to);
    }
  }

  /**
   * Its steps, one after the other.
   *
   * @param now where it is not over
   */
  public List<StepSpan> stepSpans(Instant now) {
    Map<Step, Instant> begins = new EnumMap<>(Step.class);
    put(begins, Step.WAITING, requested);
    put(begins, Step.LAUNCHING, allocated);
    put(begins, Step.GATHERING, registered);
    put(begins, Step.RUNNING, started);
    Instant last = ended == null ? now : ended;
    List<StepSpan> parts = new ArrayList<>();
    List<Step> steps = List.copyOf(begins.keySet());
    for (int i = 0; i < steps.size(); i++) {
      Instant from = begins.get(steps.get(i));
      Instant to = i + 1 < steps.size() ? begins.get(steps.get(i + 1)) : last;
      parts.add(new StepSpan(steps.get(i), from, to));
    }
    return parts;
  }

  private static void put(Map<Step, Instant> begins, Step step, Instant at) {
    if (at != null) {
      begins.put(step, at);
    }
  }

  /** How long a step took, or has taken until now where it is not over; none before it began. */
  public Optional<Duration> stepDuration(Step step, Instant now) {
    return stepSpans(now).stream()
        .filter(part -> part.step() == step)
        .map(StepSpan::duration)
        .findFirst();
  }
}
