package io.tony.client.check.project;

import io.tony.client.check.project.FlowGraph.Job;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads the jobs of a project of {@code .flow} files (Flow 2.0). The properties of a job are those
 * in its own config and, with lower precedence, those in the configs of the enclosing flows.
 * Azkaban ignores {@code .properties} files. The working directory of every job is the project's
 * root, even if the {@code .flow} file is in a subfolder.
 */
final class FlowFiles {
  private static final String VERSION = "azkaban-flow-version";

  private final Path root;
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /** Path of each flow's {@code .flow} file, relative to the project's root, by flow name. */
  private final Map<String, String> flows = new HashMap<>();

  /**
   * For each key in the {@code .properties} files, which Azkaban ignores: the path of the file,
   * relative to the project's root. Used to explain why the property is not defined.
   */
  private final Map<String, String> ignoredProperties = new HashMap<>();

  /** For each job that embeds a flow: the jobs of that flow, by name. */
  private final IdentityHashMap<Job, Map<String, Job>> embedded = new IdentityHashMap<>();

  private FlowFiles(Path root) {
    this.root = root;
  }

  static Flows read(Path root, Path marker, Map<String, String> parameters)
      throws IOException, ProjectException {
    FlowFiles files = new FlowFiles(root);
    files.checkMarker(marker);
    files.addProperties(root);
    FlowGraph graph =
        new FlowGraph(job -> files.embedded.getOrDefault(job, Map.of()), files::remedy);
    files.addFlows(root, parameters, graph);
    if (!files.problems.isEmpty()) {
      throw new ProjectException(files.problems);
    }
    return new Flows(graph.steps(), List.of(), files.warnings);
  }

  private void checkMarker(Path marker) throws IOException {
    String name = root.relativize(marker).toString();
    Set<String> markers = new TreeSet<>();
    ProjectFiles.withSuffix(Objects.requireNonNull(marker.getParent()), ".project")
        .forEach(file -> markers.add(file.getFileName().toString()));
    if (markers.size() > 1) {
      problems.add("the project has " + markers + ", and Azkaban takes one: remove the others");
    }
    int before = problems.size();
    Node content = new FlowYaml(name, problems, warnings).compose(marker).orElse(null);
    if (problems.size() == before) {
      checkVersion(name, content);
    }
  }

  /**
   * Adds a problem unless the version in the {@code .project} file is the number 2.0. Azkaban
   * refuses the quoted text {@code "2.0"}.
   */
  private void checkVersion(String marker, @Nullable Node content) {
    String version = "";
    if (content instanceof MappingNode map) {
      for (NodeTuple tuple : map.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key
            && key.getValue().equals(VERSION)
            && tuple.getValueNode() instanceof ScalarNode value) {
          boolean isNumber = value.getTag().equals(Tag.FLOAT);
          version = isNumber ? value.getValue() : '"' + value.getValue() + '"';
        }
      }
    }
    if (!version.matches("\\+?0*2\\.0*")) {
      problems.add(
          marker + " has the " + VERSION + " '" + version + "': write 2.0, without quotes");
    }
  }

  private void addProperties(Path folder) throws IOException {
    for (Path file : ProjectFiles.withSuffix(folder, ".properties")) {
      for (String key : new PropertiesFile(file).readLeniently().keySet()) {
        ignoredProperties.putIfAbsent(key, root.relativize(file).toString());
      }
    }
    for (Path child : ProjectFiles.folders(folder)) {
      addProperties(child);
    }
  }

  /**
   * Returns where the author should define a property that is referenced but not defined. The text
   * is a clause that callers append to a text about the reference: {@code which nothing in the flow
   * defines. Define …}.
   */
  private String remedy(String flow, String name) {
    String file = ignoredProperties.get(name);
    String define =
        "efine " + name + " in the config of the job or of its flow, " + flows.get(flow);
    return "which nothing in the flow defines. "
        + (file == null
            ? "D"
            : file + " does, but Azkaban reads no .properties files beside .flow files: d")
        + define;
  }

  private void addFlows(Path folder, Map<String, String> parameters, FlowGraph graph)
      throws IOException {
    for (Path file : ProjectFiles.withSuffix(folder, ".flow")) {
      addFlow(file, parameters, graph);
    }
    for (Path child : ProjectFiles.folders(folder)) {
      addFlows(child, parameters, graph);
    }
  }

  private void addFlow(Path file, Map<String, String> parameters, FlowGraph graph)
      throws IOException {
    String relative = root.relativize(file).toString();
    int before = problems.size();
    FlowNode flow = new FlowYaml(relative, problems, warnings).flow(file).orElse(null);
    String name = ProjectFiles.stem(file);
    String other = flows.put(name, relative);
    if (other != null) {
      problems.add(
          relative
              + ": "
              + other
              + " is a flow "
              + name
              + ", too; names are unique in a project. Rename one");
    }
    if (flow == null || problems.size() > before) {
      return;
    }
    Map<String, String> properties = new HashMap<>(flow.config());
    properties.putAll(parameters);
    graph.add(name, jobs(Objects.requireNonNull(flow.nodes()), relative + ": "), properties);
  }

  /**
   * Returns the jobs of a flow, by name.
   *
   * @param nodes the child nodes of the flow
   * @param where prefix for problems and warnings: file and flow
   */
  private Map<String, Job> jobs(List<FlowNode> nodes, String where) {
    Map<String, Job> jobs = new TreeMap<>();
    for (FlowNode node : nodes) {
      Job job = job(node);
      if (node.name().isEmpty()) {
        problems.add(where + "a node has no name: write name:, such as train");
      } else if (jobs.put(job.name(), job) != null) {
        problems.add(where + "two nodes have the name " + job.name() + ": rename one");
      }
      if (job.type().equals(FlowGraph.FLOW)) {
        addEmbedded(job, node, where);
      } else if (node.nodes() != null) {
        warnings.add(
            where
                + job.name()
                + " has nodes that never run, because its type is "
                + job.type()
                + ": write type: flow");
      }
    }
    UploadCheck check = new UploadCheck(jobs);
    check.problems().forEach(problem -> problems.add(where + problem));
    check.warnings().forEach(warning -> warnings.add(where + warning));
    return jobs;
  }

  private void addEmbedded(Job job, FlowNode node, String where) {
    if (node.nodes() == null) {
      problems.add(where + job.name() + " is a flow without nodes: write nodes: and its jobs");
    } else {
      embedded.put(job, jobs(node.nodes(), where + job.name() + ": "));
    }
  }

  private Job job(FlowNode node) {
    Map<String, String> own = new HashMap<>(node.config());
    own.put("type", node.type());
    return new Job(node.name(), root, Map.of(), own, node.dependencies(), node.condition());
  }
}
