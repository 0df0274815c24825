package io.tony.azkaban.viewer;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One attempt of a job, with Azkaban's data about it; finds the attempt's job in the history. */
final class StepAttempt {
  /** Maximum difference between Azkaban's clock and YARN's. */
  private static final Duration CLOCK_SLACK = Duration.ofMinutes(10);

  private final EventsQuery eventsQuery;
  private final String project;
  private final String projectId;
  private final String flow;
  private final Instant begin;
  private final Instant end;

  /**
   * Creates an attempt.
   *
   * @param project the project's name
   * @param projectId the project's number: in Azkaban 2.5, a job knows its project only by number
   * @param end null while the attempt runs
   */
  StepAttempt(
      EventsQuery eventsQuery,
      String project,
      String projectId,
      String flow,
      Instant begin,
      Instant end) {
    this.eventsQuery = eventsQuery;
    this.project = project;
    this.projectId = projectId;
    this.flow = flow;
    this.begin = begin;
    this.end = end;
  }

  /**
   * Returns the query for the history. The time range excludes executions of another Azkaban with
   * the same numbers.
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
   * Returns true if the history's job belongs to this attempt. Names are compared exactly: the
   * history's search ignores case, Azkaban's names do not.
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
