package io.tony.azkaban;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Makes small projects of Azkaban, most of which hold one mistake or none. */
final class ProjectGenerator {

  private static final String[] NAMES = {"a", "b", "c", "d", "e"};
  private static final String[] TYPES = {"noop", "command", "tony", "TonyJob"};
  private static final String[] KEYS = {"p", "q", "r", "tony.x.y", "given.not", "\u00e4"};

  private static final String[] TEXTS = {
    "text",
    "${p}",
    "x ${q} y",
    "${r}",
    "${given}",
    "$5 $HOME",
    "a=b:c",
    "1.10",
    "0123",
    "NO",
    "2024-05-01",
    "\u5730\u7406",
    "M\u00fcller",
    "${tony.x.y}",
    "${nowhere}",
    "100%",
    "a#b",
    "-x",
    "${q"
  };

  private static final String[] YAML_VALUES = {
    "'single # quoted'", "\"tab\\t\\u5730\"", "", "~", "|-\n        one\n         two",
    ">\n        folded\n        text", "1e3", "0x10", "yes", "'${p}'"
  };

  private static final String[] CONDITIONS = {
    "one_success", "all_done && one_failed", "${a:x} > 80", "${a:x} > 0.8", "${z:x} == 'y'", "x"
  };

  private final Random random;

  ProjectGenerator(Random random) {
    this.random = random;
  }

  private boolean one(int of) {
    return random.nextInt(of) == 0;
  }

  private String any(String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private static byte[] bytes(String text, Charset charset) {
    return text.getBytes(charset);
  }

  /** Names by their files' contents, of .job and .properties files. */
  Map<String, byte[]> jobFiles() {
    Map<String, byte[]> files = new TreeMap<>();
    Charset charset = one(3) ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
    for (String folder : List.of("", "x/", "x/y/")) {
      for (String name : List.of("1", "2")) {
        if (one(3)) {
          String type = one(20) ? "type=noop\n" : "";
          files.put(folder + name + ".properties", bytes(type + properties(), charset));
        }
      }
    }
    int count = 1 + random.nextInt(NAMES.length);
    for (int i = 0; i < count; i++) {
      StringBuilder job = new StringBuilder(one(60) ? "" : "type=" + any(TYPES) + "\n");
      if (one(9)) {
        job.append("type=flow\nflow.name=").append(one(10) ? "z" : any(NAMES)).append('\n');
      }
      if (i > 0 && one(2)) {
        String second = one(12) ? any(NAMES) : NAMES[random.nextInt(i)];
        job.append("dependencies=").append(NAMES[i - 1]).append(" , ").append(second).append('\n');
      } else if (one(40)) {
        job.append("dependencies=").append(any(NAMES)).append('\n');
      }
      if (one(25)) {
        job.append("root.node=true\n");
      }
      job.append(properties());
      files.put(any("", "", "x/", "x/y/") + NAMES[i] + ".job", bytes(job.toString(), charset));
    }
    if (one(25)) {
      files.put("x/a.job", bytes("type=noop", charset));
    }
    return files;
  }

  private String properties() {
    StringBuilder lines = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      String value = one(6) ? any("\\u5730", "one \\\n  two", "\\ta", "", "  b ") : any(TEXTS);
      lines.append(any(KEYS)).append(any("=", " = ", ": ", " ")).append(value).append('\n');
    }
    return lines + (one(150) ? "q=\\uxyz\n" : "");
  }

  /** Names by their files' contents, of .flow files. */
  Map<String, byte[]> flowFiles() {
    Map<String, byte[]> files = new TreeMap<>();
    String version = one(25) ? any("1.0", "'2.0'", "", "2.00", "02.0") : "2.0";
    files.put("p.project", bytes("azkaban-flow-version: " + version, StandardCharsets.UTF_8));
    if (one(60)) {
      files.put("q.project", bytes("azkaban-flow-version: 2.0", StandardCharsets.UTF_8));
    }
    if (one(4)) {
      files.put("shared.properties", bytes("nowhere=1", StandardCharsets.UTF_8));
    }
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      String name = any("", "", "x/") + any("daily", "weekly", "nightly") + ".flow";
      String mark = one(20) ? "\ufeff" : "";
      Charset charset = one(40) ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
      files.put(name, bytes(mark + flow(), charset));
    }
    return files;
  }

  private String flow() {
    if (one(60)) {
      return any("", "# nothing\n", "text", "- a\n", "nodes: [", "config: {a: b}\n", "nodes:\n");
    }
    return (one(40) ? "other: 1\n" : "")
        + (one(2) ? config("") : "")
        + "nodes:"
        + nodes("", 0)
        + (one(60) ? "---\na: b\n" : "");
  }

  private String nodes(String indent, int depth) {
    if (one(50)) {
      return any(" []\n", "\n" + indent + "- ~\n", " text\n", " {a: b}\n");
    }
    StringBuilder nodes = new StringBuilder("\n");
    List<String> before = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      String name = depth == 0 && one(60) ? "a" : NAMES[i];
      nodes.append(node(indent, name, before, depth));
      before.add(name);
    }
    return nodes.toString();
  }

  private String node(String indent, String name, List<String> before, int depth) {
    String in = indent + "  ";
    StringBuilder node = new StringBuilder(indent + "- name: " + (one(80) ? "" : name) + "\n");
    boolean isFlow = depth < 2 && one(6);
    if (!one(80)) {
      node.append(in).append("type: ").append(isFlow ? "flow" : any(TYPES)).append('\n');
    }
    if ((isFlow && !one(30)) || one(60)) {
      node.append(in).append("nodes:").append(nodes(in, depth + 1));
    }
    if (!before.isEmpty() && one(3)) {
      node.append(in).append("dependsOn: ").append(dependencies(before)).append('\n');
    }
    if (one(12)) {
      node.append(in).append("condition: \"").append(any(CONDITIONS)).append("\"\n");
    }
    if (one(60)) {
      node.append(in).append(any("executes: x", "dependencies: [a]", "Config: {}")).append('\n');
    }
    return node + (one(4) ? "" : config(in));
  }

  private String dependencies(List<String> before) {
    if (one(20)) {
      return any(before.get(0), "[z]", "", "~", "{a: b}", "[a, ~]");
    }
    return before.toString();
  }

  private String config(String indent) {
    if (one(40)) {
      return indent + any("config: a=b\n", "config: [a]\n", "config:\n", "config: ~\n");
    }
    StringBuilder config = new StringBuilder(indent + "config:\n");
    for (int i = random.nextInt(4); i >= 0; i--) {
      String value = one(4) ? any(YAML_VALUES) : any(TEXTS);
      config.append(indent).append("  ").append(any(KEYS)).append(": ").append(value).append('\n');
    }
    if (one(40)) {
      String value = any("[a, b]", "{a: b}", "!foo x", "[]", "{}");
      config.append(indent).append("  no.text: ").append(value).append('\n');
    }
    if (one(10)) {
      config.append(indent).append("  <<: ").append(any("{p: m, q: n}", "[{p: m}, {p: n, r: o}]"));
      config.append('\n');
    }
    return config.toString();
  }
}
