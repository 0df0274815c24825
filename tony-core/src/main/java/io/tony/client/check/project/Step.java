package io.tony.client.check.project;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One job of a flow, with all properties that it has before it runs.
 *
 * @param flow the name of its flow in a project of {@code .flow} files; empty in others, where the
 *     names of jobs are unique
 * @param name unique in its flow; the path through embedded flows, {@code outer:train}
 * @param type its job type
 * @param folder its working directory when it runs
 * @param properties resolved as far as they can be
 * @param unresolved the keys among them whose value is not known, with what it depends on when the
 *     job runs: nothing, where it is a problem
 * @param problems why Azkaban would not start it
 * @param producers earlier steps of its flow that may leave files for it
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

  /** Names it among all steps of its project. */
  public String label() {
    return flow.isEmpty() ? name : flow + "/" + name;
  }

  Step withProblems(List<String> more) {
    List<String> all = new ArrayList<>(more);
    all.addAll(problems);
    return new Step(flow, name, type, folder, properties, unresolved, all, producers);
  }
}
