package io.tony.client.check.project;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Makes the steps of one flow out of its jobs, and of those that it embeds. */
final class FlowGraph {
  static final String FLOW = "flow";

  /** Types whose jobs leave no files in the folder in which later jobs run. */
  private static final Set<String> WITHOUT_FILES = Set.of("tony", "noop", FLOW);

  /**
   * A job before anything is resolved.
   *
   * @param shared what it has from {@code .properties} files; anything else overrides it
   * @param own its own properties; they override everything
   * @param condition on which it runs; null for none
   */
  record Job(
      String name,
      Path folder,
      Map<String, String> shared,
      Map<String, String> own,
      List<String> dependencies,
      String condition) {
    String type() {
      return value("type");
    }

    /** Of a property, before anything is resolved; empty where the job has none. */
    String value(String key) {
      return own.getOrDefault(key, shared.getOrDefault(key, ""));
    }
  }

  /** Where the jobs of the flow that a job embeds are found. */
  interface EmbeddedFlows {
    /** The jobs of that flow, by name; none when it is unknown. */
    Map<String, Job> jobsOf(Job job);
  }

  /** What is told of a name that a property refers to and that is defined nowhere. */
  interface UndefinedRemedy {
    /** Goes on from "x refers to y, ": that it is not defined, and where it would be. */
    String remedy(String flow, String name);
  }

  private final EmbeddedFlows embedded;
  private final UndefinedRemedy undefined;
  private final Map<String, Step> steps = new TreeMap<>();

  FlowGraph(EmbeddedFlows embedded, UndefinedRemedy undefined) {
    this.embedded = embedded;
    this.undefined = undefined;
  }

  List<Step> steps() {
    return List.copyOf(steps.values());
  }

  /**
   * Adds all jobs of a flow.
   *
   * @param flow its name where jobs are told apart by it; empty where their names are unique
   * @param flowProperties the properties that it runs with
   */
  void add(String flow, Map<String, Job> jobs, Map<String, String> flowProperties) {
    add(jobs, new FlowContext(flow, "", flowProperties, false, List.of(), identitySet()));
  }

  /**
   * What the jobs of a flow have from outside.
   *
   * @param flow the outermost flow's name; empty where it tells no jobs apart
   * @param prefix of their names
   * @param hasParents whether the job that embeds the flow depends on others
   * @param producers earlier steps outside of the flow
   * @param path the jobs that embed it, by identity: a flow never embeds itself, and two jobs may
   *     be written alike
   */
  private record FlowContext(
      String flow,
      String prefix,
      Map<String, String> properties,
      boolean hasParents,
      List<String> producers,
      Set<Job> path) {}

  private static Set<Job> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private void add(Map<String, Job> jobs, FlowContext context) {
    for (Job job : jobs.values()) {
      String name = context.prefix() + job.name();
      Map<String, String> overrides = new HashMap<>(context.properties());
      overrides.putAll(job.own());
      Map<String, String> properties = new HashMap<>(job.shared());
      properties.putAll(overrides);
      boolean hasParents = context.hasParents() || !job.dependencies().isEmpty();
      List<String> producers = new ArrayList<>(context.producers());
      ancestors(job, jobs).stream()
          .filter(ancestor -> !WITHOUT_FILES.contains(ancestor.type()))
          .forEach(ancestor -> producers.add(context.prefix() + ancestor.name()));
      if (!job.type().equals(FLOW)) {
        Placeholders values =
            Placeholders.resolve(
                properties, hasParents, key -> undefined.remedy(context.flow(), key));
        Step step = new Step(context.flow(), name, job.type(), job.folder(), values, producers);
        steps.put(
            step.label(),
            step.withProblems(StepIdentity.problems(job.own(), context.properties())));
      } else if (!context.path().contains(job)) {
        Set<Job> path = identitySet();
        path.addAll(context.path());
        path.add(job);
        add(
            embedded.jobsOf(job),
            new FlowContext(context.flow(), name + ":", overrides, hasParents, producers, path));
      }
    }
  }

  private static Set<Job> ancestors(Job job, Map<String, Job> jobs) {
    Set<Job> found = new LinkedHashSet<>();
    List<Job> pending = new ArrayList<>(List.of(job));
    while (!pending.isEmpty()) {
      for (String dependency : pending.remove(pending.size() - 1).dependencies()) {
        Job ancestor = jobs.get(dependency);
        if (ancestor != null && found.add(ancestor)) {
          pending.add(ancestor);
        }
      }
    }
    return found;
  }
}
