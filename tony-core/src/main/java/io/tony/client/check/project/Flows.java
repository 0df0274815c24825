package io.tony.client.check.project;

import java.util.List;

/**
 * Content of an Azkaban project.
 *
 * @param steps all jobs of all flows, sorted by flow and name; a job that several flows of {@code
 *     .job} files share is listed once
 * @param problems files that Azkaban accepts but reads differently from what was written
 * @param warnings what Azkaban accepts but may evaluate differently from what the author expects
 */
public record Flows(List<Step> steps, List<String> problems, List<String> warnings) {
  public Flows {
    steps = List.copyOf(steps);
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }
}
