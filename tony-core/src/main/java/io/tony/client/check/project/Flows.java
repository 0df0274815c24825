package io.tony.client.check.project;

import java.util.List;

/**
 * What a project holds.
 *
 * @param steps all jobs of all flows, sorted by name; one that several flows share is there once
 * @param warnings what Azkaban takes and evaluates otherwise than its author may think
 */
public record Flows(List<Step> steps, List<String> warnings) {
  public Flows {
    steps = List.copyOf(steps);
    warnings = List.copyOf(warnings);
  }
}
