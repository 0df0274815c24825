package io.tony.azkaban.viewer;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One attempt of a job as Azkaban knows it, and which job of the history is its. */
final class Step {
  /** Azkaban's clock need not be YARN's. */
  private static final Duration SLACK = Duration.ofMinutes(10);

  private final Asked asked;
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
  Step(Asked asked, String project, String projectId, String flow, Instant begin, Instant end) {
    this.asked = asked;
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
    query.put("job", asked.job());
    query.put("execution", Integer.toString(asked.execution()));
    query.put("azkabanAttempt", Integer.toString(asked.attempt()));
    query.put("since", begin.minus(SLACK).toString());
    if (end != null) {
      query.put("until", end.plus(SLACK).toString());
    }
    return query;
  }

  /** The history takes names with other letters for the same; Azkaban does not. */
  boolean is(JsonObject job) {
    List<String> projects = Arrays.asList(project, projectId);
    return projects.contains(job.text("project"))
        && job.text("flow").equals(flow)
        && job.text("job").equals(asked.job())
        && job.text("execution").equals(Integer.toString(asked.execution()))
        && job.number("azkabanAttempt") == asked.attempt();
  }
}
