package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * How an execution ended.
 *
 * @param flow the flow's name: that of its last job
 * @param jobs in the order in which they started; those that never ran last
 * @param folder the execution's folder: the flow's files as the jobs saw them, and every log
 * @param flowLog the flow runner's own log
 */
public record FlowResult(
    String flow,
    int executionId,
    Status status,
    Instant start,
    Instant end,
    List<StepResult> jobs,
    Path folder,
    Path flowLog) {

  public FlowResult {
    jobs = List.copyOf(jobs);
  }

  public boolean succeeded() {
    return status == Status.SUCCEEDED;
  }

  public Duration duration() {
    return Duration.between(start, end);
  }

  /**
   * The job of that name.
   *
   * @throws NoSuchElementException when the flow has none
   */
  public StepResult job(String name) {
    return jobs.stream()
        .filter(job -> job.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new NoSuchElementException("flow " + flow + " has no job '" + name + "'"));
  }
}
