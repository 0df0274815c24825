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

/** Builds the steps of one flow from its jobs and from the flows that it embeds. */
final class FlowGraph {
  static final String FLOW = "flow";

  /** Types of jobs that leave no files in the working directory of later jobs. */
  private static final Set<String> WITHOUT_FILES = Set.of("tony", "noop", FLOW);

  /**
   * A job before its properties are resolved.
   *
   * @param shared properties from {@code .properties} files, with the lowest precedence
   * @param own the job's own properties, with the highest precedence
   * @param condition null if the job has no condition
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

    /** Returns an unresolved property, or an empty text if the job does not have the property. */
    String value(String key) {
      return own.getOrDefault(key, shared.getOrDefault(key, ""));
    }
  }

  /** Finds the jobs of embedded flows. */
  interface EmbeddedFlows {
    /**
     * Returns the jobs of the flow that {@code job} embeds, by name; empty if the flow is unknown.
     */
    Map<String, Job> jobsOf(Job job);
  }

  /** Describes names that a property refers to and that are defined nowhere. */
  interface UndefinedRemedy {
    /**
     * Returns the end of a sentence that begins "x refers to y, ": that y is not defined, and where
     * to define it.
     */
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
   * @param flow name of the flow; empty in projects where job names are unique
   * @param flowProperties the properties with which the flow runs
   */
  void add(String flow, Map<String, Job> jobs, Map<String, String> flowProperties) {
    add(jobs, new FlowContext(flow, "", flowProperties, false, List.of(), identitySet()));
  }

  /**
   * What a flow passes on to its jobs.
   *
   * @param flow name of the outermost flow; empty in projects where job names are unique
   * @param prefix prefix of the jobs' names
   * @param hasParents whether the job that embeds the flow depends on other jobs
   * @param producers earlier steps outside of the flow that may leave files
   * @param path the jobs that embed the flow, to stop at a flow that embeds itself; compared by
   *     identity, because two jobs may have equal content
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
