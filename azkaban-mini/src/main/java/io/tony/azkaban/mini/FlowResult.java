package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The result of an execution.
 *
 * @param flow the flow's name, which is the name of its last job
 * @param jobs the flow's jobs in the order of their starts; jobs that never ran come last
 * @param folder the execution's folder, which contains the flow's files as the jobs saw them, and
 *     all logs
 * @param flowLog the log file of Azkaban's flow runner
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
   * Returns the result of a job.
   *
   * @param name the job's name; inside an embedded flow {@code flow:job}
   * @throws NoSuchElementException if the flow has no such job
   */
  public StepResult job(String name) {
    return jobs.stream()
        .filter(job -> job.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new NoSuchElementException("flow " + flow + " has no job '" + name + "'"));
  }
}
