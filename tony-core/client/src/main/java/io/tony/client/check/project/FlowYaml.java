package io.tony.client.check.project;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * Reads one {@code .flow} file. Adds a problem for everything that Azkaban's loader refuses: keys
 * of a node that are not in {@link #KEYS}, and config values that are lists or maps. Like Azkaban,
 * takes scalars as texts as written: {@code 0x10}, {@code yes} and {@code 2026-01-01} are not
 * converted.
 */
final class FlowYaml {
  private static final Set<String> KEYS =
      Set.of("name", "type", "config", "dependsOn", "condition", "nodes", "trigger");

  /**
   * Keys that authors used to {@code .job} files may write by mistake instead of {@code dependsOn}.
   */
  private static final Set<String> DEPENDS_ON_VARIANTS =
      Set.of("dependencies", "depends_on", "depends", "dependson");

  /** Maximum number of nested keys that {@link #fullKey} joins. */
  private static final int MAX_DEPTH = 8;

  /** Stands for the value of a key that a map does not have. */
  private static final Node ABSENT =
      new ScalarNode(Tag.NULL, "", null, null, DumperOptions.ScalarStyle.PLAIN);

  private final String file;
  private final List<String> problems;
  private final List<String> warnings;

  /**
   * The nodes from the root to the node being read. Detects a node that contains itself by a YAML
   * alias.
   */
  private final Set<Node> visiting = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * Creates a reader for one file.
   *
   * @param file name of the file for messages
   * @param problems list to which the reader adds the reasons for which Azkaban refuses the file
   * @param warnings list to which the reader adds what Azkaban accepts but may read differently
   *     from what the author expects
   */
  FlowYaml(String file, List<String> problems, List<String> warnings) {
    this.file = file;
    this.problems = problems;
    this.warnings = warnings;
  }

  /**
   * Reads the file and returns its flow. If the file contains no flow, adds a problem and returns
   * empty.
   */
  Optional<FlowNode> flow(Path path) throws IOException {
    int before = problems.size();
    Optional<Node> root = compose(path);
    if (problems.size() > before) {
      return Optional.empty();
    }
    if (root.isEmpty() || !(root.get() instanceof MappingNode map)) {
      addFileProblem("has no list of nodes: write nodes: and its jobs");
      return Optional.empty();
    }
    FlowNode flow = node(map, "");
    if (flow.nodes() == null && problems.size() == before) {
      addFileProblem("has no list of nodes: write nodes: and its jobs");
    }
    return flow.nodes() == null ? Optional.empty() : Optional.of(flow);
  }

  /**
   * Parses the file and returns the root node of its only document; empty if the file is empty. If
   * the file is not valid YAML, adds a problem and returns empty.
   */
  Optional<Node> compose(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path);
        Reader reader = new UnicodeReader(in)) {
      return Optional.ofNullable(
          new Yaml(new SafeConstructor(new LoaderOptions())).compose(reader));
    } catch (YAMLException e) {
      addFileProblem(
          e.getCause() instanceof CharacterCodingException
              ? "is not UTF-8 text: save it in this encoding"
              : "is not YAML: " + e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Reads a node with all nodes that it contains.
   *
   * @param where prefix for messages: the names of the enclosing nodes and of this node
   */
  private FlowNode node(MappingNode map, String where) {
    visiting.add(map);
    Map<String, Node> entries = entries(map, where);
    entries.remove("trigger");
    checkUnknownKeys(entries.keySet(), where);
    FlowNode node =
        new FlowNode(
            text(entries.getOrDefault("name", ABSENT), "name", where).orElse(""),
            text(entries.getOrDefault("type", ABSENT), "type", where).orElse(""),
            text(entries.getOrDefault("condition", ABSENT), "condition", where).orElse(null),
            config(entries.getOrDefault("config", ABSENT), where),
            dependencies(entries.getOrDefault("dependsOn", ABSENT), where),
            nodes(entries.getOrDefault("nodes", ABSENT), where));
    visiting.remove(map);
    return node;
  }

  private void checkUnknownKeys(Set<String> keys, String where) {
    Set<String> others = new TreeSet<>(keys);
    others.removeAll(KEYS);
    for (String key : others) {
      if (DEPENDS_ON_VARIANTS.contains(key)) {
        addProblem(
            where, key + " is no key of a node: write dependsOn: and a list, such as [prepare]");
      }
    }
    others.removeAll(DEPENDS_ON_VARIANTS);
    if (!others.isEmpty()) {
      addProblem(
          where,
          String.join(", ", others)
              + (others.size() == 1 ? " stands" : " stand")
              + " beside config, where Azkaban takes "
              + new TreeSet<>(KEYS)
              + " only: move "
              + (others.size() == 1 ? "it" : "them")
              + " below config:");
    }
  }

  private @Nullable List<FlowNode> nodes(Node list, String where) {
    if (isNull(list)) {
      return null;
    }
    if (!(list instanceof SequenceNode sequence)) {
      addProblem(where, "nodes is " + kind(list) + ": write a list, each node behind a dash");
      return null;
    }
    List<FlowNode> nodes = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      if (!(item instanceof MappingNode map)) {
        addProblem(
            where, "a node is " + kind(item) + ": write - name: NAME, and type: TYPE below it");
      } else if (visiting.contains(map)) {
        addProblem(where, "a node contains itself: break the circle");
      } else {
        nodes.add(node(map, where + name(map) + ": "));
      }
    }
    return nodes;
  }

  private String name(MappingNode map) {
    return entries(map, null).get("name") instanceof ScalarNode name && !isNull(name)
        ? name.getValue()
        : "a node without a name";
  }

  private List<String> dependencies(Node list, String where) {
    List<String> names = new ArrayList<>();
    if (!isNull(list) && !(list instanceof SequenceNode)) {
      addProblem(where, "dependsOn is " + kind(list) + ": write a list, such as [prepare]");
    } else if (!isNull(list)) {
      for (Node item : ((SequenceNode) list).getValue()) {
        if (isNull(item)) {
          addProblem(
              where, "an item of dependsOn is empty: write the name of a node, or remove it");
        }
        text(item, "an item of dependsOn", where).ifPresent(names::add);
      }
    }
    return names;
  }

  /**
   * Returns the properties in the config of a node, by key. The value is null for a key without a
   * value: Azkaban sets such a property to an empty text, but does not resolve references to it.
   */
  private Map<String, String> config(Node config, String where) {
    Map<String, String> values = new HashMap<>();
    if (!isNull(config) && !(config instanceof MappingNode)) {
      addProblem(
          where,
          "config is "
              + kind(config)
              + ", which Azkaban does not load: write a map, one KEY: VALUE in each line below"
              + " config:, with a colon and a blank");
    } else if (!isNull(config)) {
      entries((MappingNode) config, where)
          .forEach((key, value) -> values.put(key, value(key, value, where)));
    }
    return values;
  }

  private @Nullable String value(String key, Node value, String where) {
    if (value instanceof SequenceNode) {
      addProblem(
          where,
          key
              + " in config is a list, and Azkaban takes texts only: write one text, such as "
              + key
              + ": a,b");
      return null;
    }
    if (value instanceof MappingNode map) {
      addProblem(
          where,
          key
              + " in config is a map, and Azkaban takes texts only: write whole keys, such as "
              + fullKey(key, map)
              + ": VALUE");
      return null;
    }
    return text(value, key, where).orElse(null);
  }

  /**
   * Returns {@code key} followed, after dots, by the first key in {@code map}, the first key in
   * that key's map and so on: a key that the author can write instead of the nested maps.
   */
  private String fullKey(String key, MappingNode map) {
    StringBuilder fullKey = new StringBuilder(key);
    Node inner = map;
    for (int depth = 0; depth < MAX_DEPTH && inner instanceof MappingNode nested; depth++) {
      Map.Entry<String, Node> first =
          entries(nested, null).entrySet().stream().findFirst().orElse(null);
      fullKey.append('.').append(first == null ? "KEY" : first.getKey());
      inner = first == null ? null : first.getValue();
    }
    return fullKey.toString();
  }

  /**
   * Returns a scalar as a text; empty if there is no value. If the value is not a scalar, adds a
   * problem and returns empty.
   */
  private Optional<String> text(Node value, String key, String where) {
    if (isNull(value)) {
      return Optional.empty();
    }
    if (!(value instanceof ScalarNode scalar)) {
      addProblem(where, key + " is " + kind(value) + ": write a text");
      return Optional.empty();
    }
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.BINARY) || !tag.getValue().startsWith(Tag.PREFIX)) {
      addProblem(where, key + " has the tag " + tag.getValue() + ": remove it");
    }
    return Optional.of(scalar.getValue());
  }

  /**
   * Returns the entries of a map by key, including the entries of maps that it merges ({@code <<}).
   * The map's own entries override merged ones, and an earlier merge overrides a later one.
   *
   * @param where prefix for problems; null to report no problems
   */
  private Map<String, Node> entries(MappingNode map, @Nullable String where) {
    return entries(map, where, Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  private Map<String, Node> entries(MappingNode map, @Nullable String where, Set<Node> enclosing) {
    Map<String, Node> own = new LinkedHashMap<>();
    Map<String, Node> merged = new LinkedHashMap<>();
    if (!enclosing.add(map)) {
      return own;
    }
    for (NodeTuple tuple : map.getValue()) {
      Node value = tuple.getValueNode();
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        if (where != null) {
          addProblem(where, "a key is " + kind(tuple.getKeyNode()) + ": write a text");
        }
      } else if (key.getTag().equals(Tag.MERGE)) {
        mergedMappings(value)
            .forEach(other -> entries(other, where, enclosing).forEach(merged::putIfAbsent));
      } else if (own.put(key.getValue(), value) != null && where != null) {
        warnings.add(file + ": " + where + key.getValue() + " is there twice: the last one counts");
      }
    }
    enclosing.remove(map);
    merged.forEach(own::putIfAbsent);
    return own;
  }

  private static Stream<MappingNode> mergedMappings(Node value) {
    List<Node> parts = value instanceof SequenceNode list ? list.getValue() : List.of(value);
    return parts.stream().filter(MappingNode.class::isInstance).map(MappingNode.class::cast);
  }

  private static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static String kind(Node node) {
    return switch (node.getNodeId()) {
      case scalar -> isNull(node) ? "empty" : "a text";
      case sequence -> "a list";
      case mapping -> "a map";
      case anchor -> "a reference";
    };
  }

  /**
   * Adds a problem, with its place in the file.
   *
   * @param where prefix for the problem: the names of the enclosing nodes and of this node; empty
   *     for the file's flow
   */
  private void addProblem(String where, String problem) {
    problems.add(file + ": " + where + problem);
  }

  private void addFileProblem(String problem) {
    problems.add(file + " " + problem);
  }
}
