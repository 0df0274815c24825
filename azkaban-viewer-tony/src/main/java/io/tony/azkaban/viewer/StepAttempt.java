package io.tony.azkaban.viewer;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One attempt of a job as Azkaban knows it, and which job of the history is its. */
final class StepAttempt {
  /** Azkaban's clock need not be YARN's. */
  private static final Duration CLOCK_SLACK = Duration.ofMinutes(10);

  private final EventsQuery eventsQuery;
  private final String project;
  private final String projectId;
  private final String flow;
  private final Instant begin;
  private final Instant end;

  /**
   * An attempt.
   *
   * @param project its name
   * @param projectId its number: Azkaban 2.5 tells a job no other name of its project
   * @param end null while it runs
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
   * What the history is asked for. Executions of another Azkaban may have the same numbers; they
   * were at another time.
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

  /** The history takes names with other letters for the same; Azkaban does not. */
  boolean matches(JsonObject job) {
    List<String> projects = Arrays.asList(project, projectId);
    return projects.contains(job.text("project"))
        && job.text("flow").equals(flow)
        && job.text("job").equals(eventsQuery.job())
        && job.text("execution").equals(Integer.toString(eventsQuery.execution()))
        && job.number("azkabanAttempt") == eventsQuery.attempt();
  }
}
