package io.tony.client.check.project;

import java.util.List;

/**
 * What a project holds.
 *
 * @param steps all jobs of all flows, sorted by flow and name; one that several flows of {@code
 *     .job} files share is there once
 * @param problems of files that Azkaban takes, and whose content it does not read as it was written
 * @param warnings what Azkaban takes and evaluates otherwise than its author may think
 */
public record Flows(List<Step> steps, List<String> problems, List<String> warnings) {
  public Flows {
    steps = List.copyOf(steps);
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }
}
