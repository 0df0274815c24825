package io.tony.client.check.project;

import io.tony.client.check.project.FlowGraph.Job;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the jobs of one flow as Azkaban does at an upload, and finds what Azkaban accepts but
 * evaluates differently from what the author expects.
 */
final class UploadCheck {
  /** Name that Azkaban uses for the whole flow; no job may have it. */
  private static final String ROOT = "ROOT";

  private final Map<String, Job> jobs;
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /**
   * Checks all jobs of a flow. {@link #problems} then returns what was found.
   *
   * @param jobs the flow's jobs, by name
   */
  UploadCheck(Map<String, Job> jobs) {
    this.jobs = jobs;
    jobs.values().forEach(this::check);
  }

  /** Returns the reasons for which Azkaban refuses the upload; empty if it accepts the flow. */
  List<String> problems() {
    return problems;
  }

  List<String> warnings() {
    return warnings;
  }

  private void check(Job job) {
    if (job.name().equals(ROOT)) {
      problems.add(ROOT + " is no name for a job: Azkaban means the whole flow by it. Rename it");
    }
    if (job.type().isBlank()) {
      problems.add(job.name() + " has no type: write its type, such as tony or command");
    }
    for (String dependency : job.dependencies()) {
      if (!jobs.containsKey(dependency)) {
        problems.add(
            job.name()
                + " depends on "
                + dependency
                + ", which is no job of its flow"
                + suggestion(dependency));
      }
    }
    if (ancestors(job).contains(job.name())) {
      problems.add(job.name() + " depends on itself, by its dependencies: break the circle");
    }
    if (job.condition() != null) {
      check(job, new Condition(job.condition()));
    }
  }

  private void check(Job job, Condition condition) {
    Set<String> later = new HashSet<>();
    jobs.values().stream()
        .filter(other -> ancestors(other).contains(job.name()))
        .forEach(other -> later.add(other.name()));
    for (String problem : condition.problems(jobs.keySet(), later)) {
      problems.add("the condition of " + job.name() + " " + problem);
    }
    if (condition.ordersTexts()) {
      warnings.add(
          "the condition of "
              + job.name()
              + " compares texts letter by letter: '10' > '9' is false, and where nothing was"
              + " published, 'null' > '0.8' is true. Publish a whole number, and compare it with"
              + " one without quotes (docs/flows.md)");
    }
  }

  private String suggestion(String name) {
    Optional<String> meant =
        jobs.keySet().stream().filter(job -> job.equalsIgnoreCase(name.strip())).findFirst();
    return meant.map(job -> ": did you mean " + job + "?").orElse(": name one that is there");
  }

  private Set<String> ancestors(Job job) {
    Set<String> found = new HashSet<>();
    List<String> pending = new ArrayList<>(job.dependencies());
    while (!pending.isEmpty()) {
      String name = pending.remove(pending.size() - 1);
      if (found.add(name) && jobs.containsKey(name)) {
        pending.addAll(jobs.get(name).dependencies());
      }
    }
    return found;
  }
}
