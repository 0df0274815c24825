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
import org.jspecify.annotations.Nullable;

/**
 * Creates the steps of a project: one for each job of each flow, including the jobs of embedded
 * flows.
 */
final class FlowGraph {
  static final String FLOW = "flow";

  /** Job types whose jobs leave no files in the working directory that later jobs could ship. */
  private static final Set<String> WITHOUT_FILES = Set.of("tony", "noop", FLOW);

  /**
   * A job as its file defines it. References in its properties are not resolved yet.
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
      @Nullable String condition) {
    String type() {
      return value("type");
    }

    /**
     * Returns a property as written, with unresolved references; an empty text if the job does not
     * have the property.
     */
    String value(String key) {
      return own.getOrDefault(key, shared.getOrDefault(key, ""));
    }
  }

  /** Finds the jobs of the flow that a job embeds. */
  interface EmbeddedFlows {
    /**
     * Returns the jobs, by name, of the flow that {@code job} embeds; empty if there is no such
     * flow.
     */
    Map<String, Job> jobsOf(Job job);
  }

  /** Says in words how to repair a reference to a property that is not defined. */
  interface UndefinedRemedy {
    /**
     * Returns the end of a sentence that begins "x refers to y, ". It says that y is not defined,
     * and where to define it.
     *
     * @param flow name of the outermost flow; empty in projects of .job files, where job names are
     *     unique
     * @param name name of the property y
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
   * Adds a step for each job of a flow, and for each job of the flows that it embeds.
   *
   * @param flow name of the flow; empty in projects of .job files, where job names are unique
   * @param jobs the flow's own jobs, by name
   * @param flowProperties properties with which the flow is started
   */
  void add(String flow, Map<String, Job> jobs, Map<String, String> flowProperties) {
    add(jobs, new FlowContext(flow, "", flowProperties, false, List.of(), identitySet()));
  }

  /**
   * What the steps of a flow depend on outside of the flow: the outermost flow, and the jobs
   * through which it embeds this flow.
   *
   * @param flow name of the outermost flow; empty in projects of .job files, where job names are
   *     unique
   * @param prefix prefix for the names of the steps: the names of the embedding jobs, each followed
   *     by a colon
   * @param properties properties with which the flow runs
   * @param hasParents whether one of the embedding jobs depends on other jobs
   * @param producers names of the steps outside of the flow that run before it and may leave files
   * @param path the embedding jobs, to stop at a flow that embeds itself; compared by identity,
   *     because two jobs may have equal content
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
