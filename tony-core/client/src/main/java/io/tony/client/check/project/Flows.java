package io.tony.client.check.project;

import java.util.List;

/**
 * The steps of an Azkaban project that Azkaban would accept, with the problems and warnings about
 * its files.
 *
 * @param steps all jobs of all flows, sorted by flow and name; a job in {@code .job} files that
 *     belongs to several flows is listed once
 * @param problems problems of files that Azkaban accepts, but reads differently from what is
 *     written in them
 * @param warnings what Azkaban may evaluate differently from what the author expects
 */
public record Flows(List<Step> steps, List<String> problems, List<String> warnings) {
  public Flows {
    steps = List.copyOf(steps);
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }
}
