package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import azkaban.project.NodeBean;
import azkaban.utils.PropsUtils;
import io.tony.client.check.project.Project;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.yaml.snakeyaml.Yaml;

/** {@code tony validate} reads the values of a {@code .flow} file as Azkaban 3 does. */
public final class FlowFileAsAzkabanReadsItTest {

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void shouldTakeEveryValueAsItIsWritten() throws Exception {
    Path root = folder.getRoot().toPath();
    Files.writeString(root.resolve("flow20.project"), "azkaban-flow-version: 2.0");
    Path flow =
        Files.write(
            root.resolve("daily.flow"),
            List.of(
                "nodes:",
                "- name: train",
                "  type: tony",
                "  config: &shared",
                "    number: 007",
                "    yes: no",
                "    date: 2026-01-01",
                "    real: 1e3",
                "    empty:",
                "    quoted: '1 # 2'",
                "    escaped: \"a\\tb\"",
                "    folded: >",
                "      one",
                "      two",
                "    literal: |-",
                "      one",
                "       two",
                "- name: again",
                "  type: tony",
                "  config: {<<: *shared, real: 2}"));

    NodeBean bean;
    try (Reader reader = Files.newBufferedReader(flow)) {
      bean = new Yaml().loadAs(reader, NodeBean.class);
    }
    Map<String, Map<String, String>> expected = new TreeMap<>();
    bean.getNodes()
        .forEach(
            node ->
                expected.put(
                    node.getName(), PropsUtils.resolveProps(node.getProps()).getFlattened()));
    Map<String, Map<String, String>> actual = new TreeMap<>();
    try (Project project = Project.open(root)) {
      project
          .flows(Map.of())
          .steps()
          .forEach(step -> actual.put(step.name(), new TreeMap<>(step.properties())));
    }

    assertEquals(expected, actual);
  }
}
