package io.tony.timeline;

import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of one task. The times are in ascending order; a time is null if its step did not
 * happen or is not recorded.
 *
 * @param number attempt number as passed to the program, counted over all tasks of the job
 * @param session number of gang restarts before this attempt
 * @param node node of the container; empty before the allocation
 * @param reusesContainer true if the attempt uses the container of an earlier attempt
 * @param requested when a container was requested; null if a container is reused without waiting
 * @param allocated when the container was allocated; for a reused container, when the restart was
 *     decided
 * @param registered when the executor registered
 * @param started when the program started
 * @param ended when the attempt ended
 * @param end how the attempt ended; null if it has not ended
 */
public record TaskAttempt(
    TaskId task,
    int number,
    int session,
    String node,
    boolean reusesContainer,
    @Nullable Instant requested,
    @Nullable Instant allocated,
    @Nullable Instant registered,
    @Nullable Instant started,
    @Nullable Instant ended,
    @Nullable End end) {

  /** How an attempt ends. */
  public enum End {
    SUCCEEDED,
    FAILED,
    /** The task was stopped, because the job did not need it any more or because the job ended. */
    STOPPED,
    /** The task was restarted: on its own, or because its gang was restarted. */
    RESTARTED,
    /** The gang released the container, and requests all its containers again later. */
    GIVEN_BACK
  }

  /** What an attempt is doing or waiting for. */
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

    /**
     * Returns the heading of the step's column in a table: what the attempt waits for, or what is
     * running.
     */
    public String columnName() {
      return columnName;
    }

    /** Returns a short description for display. */
    public String label() {
      return label;
    }
  }

  /**
   * Returns a copy with a new attempt number, for a gang restart before this task had a container.
   */
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

  /** The period of one step of an attempt. */
  public record StepSpan(Step step, Instant from, Instant to) {
    public Duration duration() {
      return Duration.between(from, to);
    }
  }

  /**
   * Returns the periods of the attempt's steps, in order.
   *
   * @param now end of the last step if the attempt has not ended
   */
  public List<StepSpan> stepSpans(Instant now) {
    Map<Step, Instant> begins = new EnumMap<>(Step.class);
    put(begins, Step.WAITING, requested);
    put(begins, Step.LAUNCHING, allocated);
    put(begins, Step.GATHERING, registered);
    put(begins, Step.RUNNING, started);
    Instant last = ended == null ? now : ended;
    List<StepSpan> parts = new ArrayList<>();
    List<Map.Entry<Step, Instant>> steps = List.copyOf(begins.entrySet());
    for (int i = 0; i < steps.size(); i++) {
      Map.Entry<Step, Instant> begin = steps.get(i);
      Instant to = i + 1 < steps.size() ? steps.get(i + 1).getValue() : last;
      parts.add(new StepSpan(begin.getKey(), begin.getValue(), to));
    }
    return parts;
  }

  private static void put(Map<Step, Instant> begins, Step step, @Nullable Instant at) {
    if (at != null) {
      begins.put(step, at);
    }
  }

  /**
   * Returns the duration of {@code step}; until {@code now} if the step is not over, empty if it
   * has not begun.
   */
  public Optional<Duration> stepDuration(Step step, Instant now) {
    return stepSpans(now).stream()
        .filter(part -> part.step() == step)
        .map(StepSpan::duration)
        .findFirst();
  }
}
