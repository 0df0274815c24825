package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import azkaban.project.DirectoryFlowLoader;
import azkaban.project.DirectoryYamlFlowLoader;
import azkaban.utils.Props;
import io.tony.client.check.project.Project;
import io.tony.client.check.project.ProjectException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * {@code tony validate} refuses those projects whose upload the loaders of Azkaban 3.58.0 refuse.
 */
public final class UploadAsAzkabanDecidesTest {
  private static final List<String> CONDITIONS =
      List.of(
          "one_success",
          "ALL_DONE",
          "all_done && one_failed",
          "all_donee",
          "all_done && ${train:tony.output.auc} > 80",
          "${train:tony.output.auc} > 0.8",
          "${train:tony.output.auc} > '0.8'",
          "${train:a} == \"x\" || (${train:b} != 3)",
          "${train:a} >= 80",
          "${train:a} <= '80'",
          "!${train:a} == 'x'",
          "${train:a} = 1",
          "${train:a} == x",
          "${train:a} == 'x y (z)'",
          "${train:a} == 'x>y'",
          "${train:a} > && all_done",
          "${train:a} == 1 &&",
          "&& ${train:a} == 1",
          "${trian:a} > 80",
          "${train} > 80",
          "${train:} > 80",
          "${later:a} > 80",
          "${publish:a} > 80",
          "80 > 3",
          "  ",
          "-1 < ${train:a}");

  private static final List<String> NODES =
      List.of(
          "- {name: a, type: noop}",
          "- {name: a}",
          "- {name: a, type: noop}\n- {name: a, type: noop}",
          "- {name: a, type: noop, dependsOn: [b]}",
          "- {name: a, type: noop, dependsOn: [a]}",
          "- {name: a, type: noop, dependsOn: [b]}\n- {name: b, type: noop, dependsOn: [a]}",
          "- {name: s, type: flow, nodes: [{name: a, type: noop}]}",
          "- {name: s, type: flow, nodes: [{name: a, type: noop, dependsOn: [x]}]}");

  private static final List<Map<String, String>> JOBS =
      List.of(
          Map.of("a.job", "type=noop", "b.job", "type=noop\ndependencies=a , "),
          Map.of("a.job", "type=noop\ndependencies=b"),
          Map.of("a.job", "type=noop\ndependencies=a"),
          Map.of("a.job", "x=1"),
          Map.of("a.job", "x=1", "all.properties", "type=noop"),
          Map.of("a.job", "type=flow\nflow.name=b"),
          Map.of("a.job", "type=flow\nflow.name=b", "b.job", "type=noop"),
          Map.of("c/a.job", "type=noop", "d/a.job", "type=noop"),
          Map.of(
              "a.job",
              "type=noop\ndependencies=b",
              "b.job",
              "type=noop\ndependencies=a",
              "c.job",
              "type=noop\ndependencies=a"));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path write(Map<String, String> files) throws IOException {
    Path folder = temporary.newFolder().toPath();
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    return folder;
  }

  private static void assertDecided(Path folder, Set<String> errors) throws IOException {
    List<String> problems = List.of();
    try (Project project = Project.open(folder)) {
      project.flows(Map.of());
    } catch (ProjectException e) {
      problems = e.problems();
    }
    assertEquals(
        "Azkaban says " + errors + ", tony validate " + problems,
        errors.isEmpty(),
        problems.isEmpty());
  }

  private void assertDecidedAsFlow20(String nodes) throws IOException {
    Path folder =
        write(Map.of("a.project", "azkaban-flow-version: 2.0\n", "night.flow", "nodes:\n" + nodes));
    DirectoryYamlFlowLoader loader = new DirectoryYamlFlowLoader(new Props());
    loader.loadProjectFlow(new azkaban.project.Project(1, "p"), folder.toFile());
    assertDecided(folder, loader.getErrors());
  }

  @Test
  public void shouldDecideOnConditionsAsAzkabanDoes() throws IOException {
    for (String condition : CONDITIONS) {
      assertDecidedAsFlow20(
          """
          - {name: train, type: noop}
          - name: publish
            type: noop
            dependsOn: [train]
            condition: |
              %s
          - {name: later, type: noop, dependsOn: [publish]}
          """
              .formatted(condition));
    }
  }

  @Test
  public void shouldDecideOnNodesAsAzkabanDoes() throws IOException {
    for (String nodes : NODES) {
      assertDecidedAsFlow20(nodes + "\n");
    }
  }

  @Test
  public void shouldDecideOnJobFilesAsAzkabanDoes() throws IOException {
    for (Map<String, String> files : JOBS) {
      Path folder = write(files);
      DirectoryFlowLoader loader = new DirectoryFlowLoader(new Props());
      loader.loadProjectFlow(new azkaban.project.Project(1, "p"), folder.toFile());
      assertDecided(folder, loader.getErrors());
    }
  }
}
