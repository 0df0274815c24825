package io.tony.client.check.project;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One job of a flow, with its properties as far as they are known before it runs.
 *
 * @param flow name of the flow in a project of .flow files; empty in a project of .job files, where
 *     job names are unique
 * @param name unique in the flow; for a job of an embedded flow, a path such as {@code outer:train}
 * @param type the job type
 * @param folder the working directory at run time
 * @param properties properties with their references resolved as far as possible
 * @param unresolved keys of {@code properties} whose values are not fully known, each with
 *     descriptions of what the value depends on at run time; the set is empty if the unresolved
 *     references are wrong and listed in {@code problems}
 * @param problems reasons for which Azkaban or TonY's job type would not start the step
 * @param producers names of earlier steps of the flow that may leave files for this step
 */
public record Step(
    String flow,
    String name,
    String type,
    Path folder,
    Map<String, String> properties,
    Map<String, Set<String>> unresolved,
    List<String> problems,
    List<String> producers) {
  Step(
      String flow,
      String name,
      String type,
      Path folder,
      Placeholders values,
      List<String> producers) {
    this(
        flow,
        name,
        type,
        folder,
        values.resolved(),
        values.unresolved(),
        values.problems(),
        producers);
  }

  public Step {
    properties = Map.copyOf(properties);
    problems = List.copyOf(problems);
    producers = List.copyOf(producers);
  }

  /** Returns a name of the step for messages, which no other step of the project has. */
  public String label() {
    return flow.isEmpty() ? name : flow + "/" + name;
  }

  Step withProblems(List<String> more) {
    List<String> all = new ArrayList<>(more);
    all.addAll(problems);
    return new Step(flow, name, type, folder, properties, unresolved, all, producers);
  }
}
