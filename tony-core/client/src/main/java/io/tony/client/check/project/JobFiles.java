package io.tony.client.check.project;

import io.tony.client.check.project.FlowGraph.Job;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the jobs of a project of {@code .job} files. A flow consists of a job on which no other job
 * depends, and of all jobs on which that job depends, directly or indirectly.
 *
 * <p>The properties of a job are its own and, with lower precedence, those in all {@code
 * .properties} files in its folder and in the folders above. Files in nearer folders override
 * others; in one folder, files later in the alphabet do. The working directory of a job is the
 * folder of its file.
 */
final class JobFiles {
  private final Map<String, Job> jobs = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();

  /** Problems of files that Azkaban accepts, but reads differently from what is written in them. */
  private final List<String> contentProblems = new ArrayList<>();

  private final List<String> warnings = new ArrayList<>();
  private final Path root;

  private JobFiles(Path root) {
    this.root = root;
  }

  static Flows read(Path root, Map<String, String> parameters)
      throws IOException, ProjectException {
    JobFiles files = new JobFiles(root);
    files.addJobs(root, Map.of());
    UploadCheck check = new UploadCheck(files.jobs);
    files.problems.addAll(check.problems());
    files.checkEmbedded();
    if (!files.problems.isEmpty()) {
      files.problems.addAll(0, files.contentProblems);
      throw new ProjectException(files.problems);
    }
    files.warnings.addAll(check.warnings());
    return new Flows(files.steps(parameters), files.contentProblems, files.warnings);
  }

  private void checkEmbedded() {
    Set<String> flows = flows();
    for (String flow : flows) {
      for (Job job : flow(flow).values()) {
        if (job.type().equals(FlowGraph.FLOW) && !flows.contains(embeddedFlow(job))) {
          problems.add(
              job.name()
                  + " embeds the flow "
                  + embeddedFlow(job)
                  + " (flow.name), which is not in the project: name the last job of one");
        } else if (job.type().equals(FlowGraph.FLOW) && reaches(embeddedFlow(job), flow)) {
          problems.add(
              job.name()
                  + " embeds the flow "
                  + embeddedFlow(job)
                  + " (flow.name), which embeds its own again: break the circle");
        }
      }
    }
  }

  /**
   * Returns the names of all flows. A flow has the name of its last job: one on which no other job
   * depends, or one with {@code root.node=true}.
   */
  private Set<String> flows() {
    Set<String> flows = new TreeSet<>(jobs.keySet());
    jobs.values().forEach(job -> flows.removeAll(job.dependencies()));
    jobs.values().stream()
        .filter(job -> job.value("root.node").strip().equalsIgnoreCase("true"))
        .forEach(job -> flows.add(job.name()));
    return flows;
  }

  /**
   * Returns true if the flow {@code from} is the flow {@code target} or embeds it, directly or
   * indirectly.
   */
  private boolean reaches(String from, String target) {
    Set<String> found = new TreeSet<>(Set.of(from));
    List<String> pending = new ArrayList<>(List.of(from));
    while (!pending.isEmpty()) {
      for (Job job : flow(pending.remove(pending.size() - 1)).values()) {
        if (job.type().equals(FlowGraph.FLOW) && found.add(embeddedFlow(job))) {
          pending.add(embeddedFlow(job));
        }
      }
    }
    return found.contains(target);
  }

  private void addJobs(Path folder, Map<String, String> inherited) throws IOException {
    Map<String, String> shared = new HashMap<>(inherited);
    for (Path file : ProjectFiles.withSuffix(folder, ".properties")) {
      shared.putAll(properties(file));
    }
    for (Path file : ProjectFiles.withSuffix(folder, ".job")) {
      Map<String, String> own = properties(file);
      String name = ProjectFiles.stem(file);
      String dependencies =
          own.getOrDefault("dependencies", shared.getOrDefault("dependencies", ""));
      String condition = own.getOrDefault("condition", shared.getOrDefault("condition", ""));
      Job job =
          new Job(
              name,
              folder,
              Map.copyOf(shared),
              own,
              split(dependencies),
              condition.isEmpty() ? null : condition);
      if (jobs.put(name, job) != null) {
        problems.add(
            root.relativize(file)
                + ": another folder has a job "
                + name
                + ", too; names are unique in a project. Rename one");
      }
    }
    for (Path child : ProjectFiles.folders(folder)) {
      addJobs(child, shared);
    }
  }

  private Map<String, String> properties(Path file) throws IOException {
    PropertiesFile content = new PropertiesFile(file);
    String name = root.relativize(file) + " ";
    content.encodingProblem().ifPresent(problem -> contentProblems.add(name + problem));
    try {
      content.garbledKeysWarning().ifPresent(warning -> warnings.add(name + warning));
      return content.read();
    } catch (IllegalArgumentException e) {
      problems.add(name + "is not a properties file: " + e.getMessage());
      return Map.of();
    }
  }

  private static List<String> split(String names) {
    return Stream.of(names.split(",")).map(String::strip).filter(name -> !name.isEmpty()).toList();
  }

  private List<Step> steps(Map<String, String> parameters) {
    Set<String> embedded =
        jobs.values().stream()
            .filter(job -> job.type().equals(FlowGraph.FLOW))
            .map(JobFiles::embeddedFlow)
            .collect(Collectors.toSet());
    FlowGraph graph =
        new FlowGraph(
            job -> flow(embeddedFlow(job)),
            (flow, name) ->
                "which nothing in the project defines. Define "
                    + name
                    + " in the job or a .properties file");
    for (String name : flows()) {
      if (!embedded.contains(name)) {
        graph.add("", flow(name), parameters);
      }
    }
    return graph.steps();
  }

  private static String embeddedFlow(Job job) {
    return job.value("flow.name");
  }

  /**
   * Returns the jobs of a flow, by name: its last job, and all jobs on which that job depends,
   * directly or indirectly.
   */
  private Map<String, Job> flow(String last) {
    Map<String, Job> flow = new TreeMap<>();
    List<String> pending = new ArrayList<>(List.of(last));
    while (!pending.isEmpty()) {
      Job job = jobs.get(pending.remove(pending.size() - 1));
      if (job != null && flow.put(job.name(), job) == null) {
        pending.addAll(job.dependencies());
      }
    }
    return flow;
  }
}
