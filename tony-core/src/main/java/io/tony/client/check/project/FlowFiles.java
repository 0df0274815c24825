package io.tony.client.check.project;

import io.tony.client.check.project.FlowGraph.Job;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads a project of {@code .flow} files (Flow 2.0). A job has its own config and below it that of
 * the flows around it; {@code .properties} files do not count. The working directory of all jobs is
 * the root of the project, wherever the {@code .flow} file lies.
 *
 * <p>Values are taken as they are written: {@code 0x10}, {@code yes} and {@code 2026-01-01} are
 * texts, as they are for Azkaban.
 */
final class FlowFiles {
  private static final String VERSION = "azkaban-flow-version";

  /** What an empty file holds. */
  private static final Node NOTHING =
      new MappingNode(Tag.MAP, List.of(), DumperOptions.FlowStyle.BLOCK);

  private final Path root;
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /** The nodes of each flow that is embedded in another one, by the job that stands for it. */
  private final IdentityHashMap<Job, Map<String, Job>> embedded = new IdentityHashMap<>();

  private FlowFiles(Path root) {
    this.root = root;
  }

  static Flows read(Path root, Path marker, Map<String, String> parameters)
      throws IOException, ProjectException {
    FlowFiles files = new FlowFiles(root);
    files.checkVersion(marker);
    FlowGraph graph = new FlowGraph(job -> files.embedded.getOrDefault(job, Map.of()));
    files.addFlows(root, parameters, graph);
    if (!files.problems.isEmpty()) {
      throw new ProjectException(files.problems);
    }
    return new Flows(graph.steps(), files.warnings);
  }

  private void checkVersion(Path marker) throws IOException {
    String version =
        compose(marker).map(FlowFiles::scalars).orElse(Map.of()).getOrDefault(VERSION, "");
    if (!version.equals("2.0")) {
      problems.add(
          root.relativize(marker) + " has the " + VERSION + " '" + version + "': write 2.0");
    }
  }

  private void addFlows(Path folder, Map<String, String> parameters, FlowGraph graph)
      throws IOException {
    for (Path file : ProjectFiles.withSuffix(folder, ".flow")) {
      compose(file).ifPresent(flow -> addFlow(file, flow, parameters, graph));
    }
    for (Path child : ProjectFiles.folders(folder)) {
      addFlows(child, parameters, graph);
    }
  }

  private void addFlow(Path file, Node flow, Map<String, String> parameters, FlowGraph graph) {
    if (!(child(flow, "nodes") instanceof SequenceNode)) {
      problems.add(root.relativize(file) + " has no list of nodes: write nodes: and its jobs");
      return;
    }
    Map<String, String> properties = new HashMap<>(scalars(child(flow, "config")));
    properties.putAll(parameters);
    graph.add(jobs(flow, root.relativize(file) + ": "), properties);
  }

  /** Empty when the file is not YAML, which is then told. */
  private Optional<Node> compose(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      Node node = new Yaml(new SafeConstructor(new LoaderOptions())).compose(reader);
      return Optional.of(node == null ? NOTHING : node);
    } catch (YAMLException e) {
      problems.add(root.relativize(file) + " is not YAML: " + e.getMessage());
      return Optional.empty();
    }
  }

  /** The jobs of a flow; {@code where} begins what is told of them. */
  private Map<String, Job> jobs(Node flow, String where) {
    Map<String, Job> jobs = new TreeMap<>();
    for (Node node : items(child(flow, "nodes"))) {
      Job job = job(node);
      if (jobs.put(job.name(), job) != null) {
        problems.add(where + "two nodes have the name " + job.name() + ": rename one");
      }
      if (job.type().equals(FlowGraph.FLOW)) {
        embedded.put(job, jobs(node, where + job.name() + ": "));
      }
    }
    UploadCheck check = new UploadCheck(jobs);
    check.problems().forEach(problem -> problems.add(where + problem));
    check.warnings().forEach(warning -> warnings.add(where + warning));
    return jobs;
  }

  private Job job(Node node) {
    Map<String, String> fields = scalars(node);
    Map<String, String> own = new HashMap<>(scalars(child(node, "config")));
    own.put("type", fields.getOrDefault("type", ""));
    List<String> dependencies =
        items(child(node, "dependsOn")).stream()
            .filter(ScalarNode.class::isInstance)
            .map(item -> ((ScalarNode) item).getValue())
            .toList();
    String name = fields.getOrDefault("name", "");
    return new Job(name, root, Map.of(), own, dependencies, fields.get("condition"));
  }

  private static List<Node> items(Node list) {
    return list instanceof SequenceNode sequence ? sequence.getValue() : List.of();
  }

  /** The value of a key of a mapping; null when there is none. */
  private static Node child(Node mapping, String key) {
    if (!(mapping instanceof MappingNode map)) {
      return null;
    }
    return map.getValue().stream()
        .filter(
            tuple -> tuple.getKeyNode() instanceof ScalarNode name && name.getValue().equals(key))
        .map(NodeTuple::getValueNode)
        .reduce((first, last) -> last)
        .orElse(null);
  }

  /** The texts of a mapping; what is merged into it ({@code <<}) comes below its own. */
  private static Map<String, String> scalars(Node mapping) {
    Map<String, String> merged = new HashMap<>();
    Map<String, String> own = new HashMap<>();
    if (mapping instanceof MappingNode map) {
      for (NodeTuple tuple : map.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key) {
          if (key.getTag().equals(Tag.MERGE)) {
            merged.putAll(scalars(tuple.getValueNode()));
          } else if (tuple.getValueNode() instanceof ScalarNode value) {
            own.put(key.getValue(), value.getValue());
          }
        }
      }
    }
    merged.putAll(own);
    return merged;
  }
}
