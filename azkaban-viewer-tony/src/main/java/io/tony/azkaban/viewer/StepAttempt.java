package io.tony.azkaban.viewer;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Azkaban's data about one attempt of a job, by which the attempt's job is found in the history.
 */
final class StepAttempt {
  /** Assumed maximum difference between the clocks of Azkaban and YARN. */
  private static final Duration CLOCK_SLACK = Duration.ofMinutes(10);

  private final EventsQuery eventsQuery;
  private final String project;
  private final String projectId;
  private final String flow;
  private final Instant begin;
  private final @Nullable Instant end;

  /**
   * Creates an attempt.
   *
   * @param eventsQuery names the execution, the job and the attempt
   * @param project the project's name
   * @param projectId the project's number; in the history, a job that Azkaban 2.5 ran has this
   *     number instead of the name
   * @param end the attempt's end; null while it runs
   */
  StepAttempt(
      EventsQuery eventsQuery,
      String project,
      String projectId,
      String flow,
      Instant begin,
      @Nullable Instant end) {
    this.eventsQuery = eventsQuery;
    this.project = project;
    this.projectId = projectId;
    this.flow = flow;
    this.begin = begin;
    this.end = end;
  }

  /**
   * Returns the query parameters with which the history lists this attempt's job. Their time range
   * excludes executions of another Azkaban that have the same execution id.
   */
  Map<String, String> query() {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("flow", flow);
    query.put("job", eventsQuery.job());
    query.put("execution", Integer.toString(eventsQuery.execution()));
    query.put("azkabanAttempt", Integer.toString(eventsQuery.attempt()));
    query.put("since", begin.minus(CLOCK_SLACK).toString());
    if (end != null) {
      query.put("until", end.plus(CLOCK_SLACK).toString());
    }
    return query;
  }

  /**
   * Returns true if a job in the history belongs to this attempt. Names are compared exactly,
   * because the history's search ignores case and Azkaban's names do not.
   */
  boolean matches(JsonObject job) {
    List<String> projects = Arrays.asList(project, projectId);
    return projects.contains(job.text("project"))
        && job.text("flow").equals(flow)
        && job.text("job").equals(eventsQuery.job())
        && job.text("execution").equals(Integer.toString(eventsQuery.execution()))
        && job.number("azkabanAttempt") == eventsQuery.attempt();
  }
}
