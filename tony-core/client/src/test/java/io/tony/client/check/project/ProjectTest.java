package io.tony.client.check.project;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ProjectTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final Map<String, String> files = new TreeMap<>();

  private ProjectTest file(String name, String... lines) {
    files.put(name, String.join("\n", lines));
    return this;
  }

  private Path zip() throws IOException {
    Path archive = temporary.getRoot().toPath().resolve("project.zip");
    try (OutputStream out = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return archive;
  }

  /** The steps by name, as they are while the archive is unpacked. */
  private <T> Map<String, T> read(Map<String, String> parameters, Function<Step, T> what)
      throws Exception {
    try (Project project = Project.open(zip())) {
      return project.flows(parameters).steps().stream().collect(Collectors.toMap(Step::name, what));
    }
  }

  private Step only(Map<String, String> parameters) throws Exception {
    return read(parameters, step -> step).values().iterator().next();
  }

  @Test
  public void shouldInheritFromAllFoldersAboveAndLetTheJobWin() throws Exception {
    file("site.properties", "a=root", "b=root", "c=root", "d=root")
        .file("deep/1.properties", "b=first", "c=first", "d=first")
        .file("deep/2.properties", "c=second", "d=second")
        .file("deep/train.job", "type=tony", "d=job", "all=${a} ${b} ${c} ${d}")
        .file("other/a.properties", "a=other");

    assertEquals("root first second job", only(Map.of()).properties().get("all"));
  }

  @Test
  public void shouldPutTheParametersOfTheFlowBetweenFilesAndJob() throws Exception {
    file("a.properties", "a=file", "b=file").file("train.job", "type=tony", "b=job");

    Map<String, String> properties = only(Map.of("a", "flow", "b", "flow")).properties();

    assertEquals(Map.of("type", "tony", "a", "flow", "b", "job"), properties);
  }

  @Test
  public void shouldRunEachJobInTheFolderOfItsFile() throws Exception {
    file("a/b/train.job", "type=tony").file("a/b/src/train.py", "pass");

    assertTrue(read(Map.of(), s -> Files.exists(s.folder().resolve("src/train.py"))).get("train"));
  }

  @Test
  public void shouldTellWhatIsDefinedNowhereAndWhatIsKnownLater() throws Exception {
    file("train.job", "type=tony", "a=${nowhere}", "b=x ${azkaban.flow.execid}", "c=${b}", "d=$(1)")
        .file("after.job", "type=tony", "dependencies=train", "e=${tony.output.auc}");

    Map<String, Step> steps = read(Map.of(), step -> step);

    Step train = steps.get("train");
    assertEquals(
        List.of(
            "a refers to ${nowhere}, which nothing in the project defines. Define nowhere in the"
                + " job or a .properties file, or, when the flow is started with it, give -property"
                + " nowhere=VALUE"),
        train.problems());
    assertEquals(Set.of("a", "b", "c", "d"), train.unresolved().keySet());
    assertEquals(
        Set.of("${azkaban.flow.execid}, which Azkaban sets when the job starts"),
        train.unresolved().get("c"));
    Step after = steps.get("after");
    assertEquals(List.of(), after.problems());
    assertEquals(
        Map.of(
            "e",
            Set.of("${tony.output.auc}, which a job that it depends on would have to publish")),
        after.unresolved());
  }

  @Test
  public void shouldTellACircle() throws Exception {
    file("train.job", "type=tony", "a=${b}", "b=${a}");

    assertEquals(
        List.of(
            "a refers to itself: a -> b -> a. Break the circle",
            "b refers to itself: b -> a -> b. Break the circle"),
        only(Map.of()).problems());
  }

  @Test
  public void shouldKnowWhoMayLeaveFilesBehind() throws Exception {
    file("prepare.job", "type=command")
        .file("first.job", "type=tony", "dependencies=prepare")
        .file("second.job", "type=tony", "dependencies=first");

    assertEquals(
        Map.of("prepare", List.of(), "first", List.of("prepare"), "second", List.of("prepare")),
        read(Map.of(), Step::producers));
  }

  @Test
  public void shouldHandTheEmbeddingJobsPropertiesToAnEmbeddedFlow() throws Exception {
    file("a.properties", "x=shared", "y=shared", "z=shared")
        .file("train.job", "type=tony", "z=own", "all=${x} ${y} ${z}")
        .file("nightly.job", "type=flow", "flow.name=train", "y=nightly")
        .file("weekly.job", "type=flow", "flow.name=train", "x=weekly");

    assertEquals(
        Map.of("nightly:train", "shared nightly own", "weekly:train", "weekly shared own"),
        read(Map.of(), step -> step.properties().get("all")));
  }

  @Test
  public void shouldRefuseTwoJobsOfOneName() throws Exception {
    file("a/train.job", "type=tony").file("b/train.job", "type=tony");

    assertTrue(refused().get(0).startsWith("b/train.job: another folder has a job train"));
  }

  private List<String> refused() {
    return assertThrows(ProjectException.class, () -> read(Map.of(), step -> step)).problems();
  }

  @Test
  public void shouldReadFlow20WithItsConfigAndEmbeddedFlows() throws Exception {
    file("flow20.project", "azkaban-flow-version: 2.0")
        .file("ignored.properties", "a=ignored")
        .file("ignored.job", "type=tony")
        .file(
            "flows/daily.flow",
            "config:",
            "  a: flow",
            "  b: flow",
            "  c: 0x10",
            "nodes:",
            "  - name: prepare",
            "    type: command",
            "  - name: inner",
            "    type: flow",
            "    dependsOn: [prepare]",
            "    config: {b: inner}",
            "    nodes:",
            "      - name: train",
            "        type: tony",
            "        config:",
            "          all: ${a} ${b} ${c}",
            "          tony.worker.instances: 2",
            "          executes: |",
            "            python train.py",
            "              --epochs 3");

    Map<String, Step> steps = read(Map.of("a", "parameter"), step -> step);

    assertEquals(Set.of("prepare", "inner:train"), steps.keySet());
    Step train = steps.get("inner:train");
    assertEquals(
        Map.of(
            "type", "tony",
            "a", "parameter",
            "b", "inner",
            "c", "0x10",
            "all", "parameter inner 0x10",
            "tony.worker.instances", "2",
            "executes", "python train.py\n  --epochs 3"),
        train.properties());
    assertEquals(List.of("prepare"), train.producers());
  }

  @Test
  public void shouldRunEveryJobOfFlow20InTheRoot() throws Exception {
    file("flow20.project", "azkaban-flow-version: 2.0")
        .file("src/train.py", "pass")
        .file("flows/a.flow", "nodes:", "  - name: train", "    type: tony");

    assertTrue(read(Map.of(), s -> Files.exists(s.folder().resolve("src/train.py"))).get("train"));
  }

  @Test
  public void shouldTellEveryFlowFileThatCannotBeRead() throws Exception {
    file("flow20.project", "azkaban-flow-version: 1.0")
        .file("a.flow", "nodes: [")
        .file("b.flow", "config: {}")
        .file("c.flow", "");

    List<String> problems = refused();

    assertEquals(problems.toString(), 4, problems.size());
    assertEquals(
        "flow20.project has the azkaban-flow-version '1.0': write 2.0, without quotes",
        problems.get(0));
    assertTrue(problems.get(1).startsWith("a.flow is not YAML"));
    assertTrue(problems.get(2).startsWith("b.flow has no list of nodes"));
    assertTrue(problems.get(3).startsWith("c.flow has no list of nodes"));
  }

  private void flow20(String... nodes) {
    files.clear();
    file("a.project", "azkaban-flow-version: 2.0");
    file("night.flow", "nodes:\n" + String.join("\n", nodes));
  }

  private static String node(String name, String... more) {
    return "- {name: " + name + ", type: noop" + String.join("", more) + "}";
  }

  private static String condition(String text) {
    return node("train")
        + "\n"
        + node("publish", ", dependsOn: [train], condition: \"" + text + '"');
  }

  private void assertRefused(String expected) throws Exception {
    List<String> problems = refused();
    assertEquals(problems.toString(), 1, problems.size());
    assertTrue(problems.toString(), problems.get(0).startsWith(expected));
  }

  @Test
  public void shouldRefuseDependenciesThatAzkabanRefuses() throws Exception {
    flow20(node("train"), node("after", ", dependsOn: [trian, Train]"));
    assertEquals(
        List.of(
            "night.flow: after depends on trian, which is no job of its flow: name one that is"
                + " there",
            "night.flow: after depends on Train, which is no job of its flow: did you mean train?"),
        refused());
    flow20(node("a", ", dependsOn: [b]"), node("b", ", dependsOn: [a]"));
    assertEquals(2, refused().size());
    flow20(node("train"), node("train"));
    assertRefused("night.flow: two nodes have the name train");
    flow20("- {name: train}");
    assertRefused("night.flow: train has no type");
    flow20(node("ROOT"));
    assertRefused("night.flow: ROOT is no name for a job");
    flow20("- {name: sub, type: flow, nodes: [{name: x, type: noop, dependsOn: [y]}]}");
    assertRefused("night.flow: sub: x depends on y");

    files.clear();
    file("train.job", "type=noop", "dependencies=prepare");
    assertRefused("train depends on prepare, which is no job");
    files.clear();
    file("train.job", "executes=true");
    assertRefused("train has no type");
    files.clear();
    file("train.job", "type=flow", "flow.name=nobody");
    assertRefused("train embeds the flow nobody");
  }

  @Test
  public void shouldRefuseWhatAzkabansLoaderOfFlowsRefuses() throws Exception {
    flow20("- {name: train, type: noop, config: executes=main.py}");
    assertRefused(
        "night.flow: train: config is a text, which Azkaban does not load: write a map, one KEY:"
            + " VALUE in each line");
    flow20("- {name: train, type: noop, config: {tony: {worker: {instances: 1}}}}");
    assertRefused(
        "night.flow: train: tony in config is a map, and Azkaban takes texts only: write whole"
            + " keys, such as tony.worker.instances: VALUE");
    flow20("- {name: train, type: noop, config: {tony.application.tags: [a, b]}}");
    assertRefused(
        "night.flow: train: tony.application.tags in config is a list, and Azkaban takes texts only:"
            + " write one text, such as tony.application.tags: a,b");
    flow20("- {name: train, type: noop, executes: main.py, tony.worker.instances: 1}");
    assertRefused(
        "night.flow: train: executes, tony.worker.instances stand beside config, where Azkaban takes"
            + " [condition, config, dependsOn, name, nodes, trigger, type] only: move them below"
            + " config:");
    flow20(node("a"), node("b", ", dependsOn: a"));
    assertRefused("night.flow: b: dependsOn is a text: write a list, such as [prepare]");
    flow20(node("a"), node("b", ", dependencies: [a]"));
    assertRefused("night.flow: b: dependencies is no key of a node: write dependsOn:");
    flow20("- {type: noop}");
    assertRefused("night.flow: a node has no name");
    flow20("- {name: sub, type: flow}");
    assertRefused("night.flow: sub is a flow without nodes");
    flow20(node("a"));
    file("other/night.flow", "nodes:", node("a"));
    assertRefused("other/night.flow: night.flow is a flow night, too");
    flow20(node("a"));
    file("b.project", "azkaban-flow-version: 2.0");
    assertRefused("the project has [a.project, b.project], and Azkaban takes one");
    flow20(node("a"));
    file("a.project", "azkaban-flow-version: '2.0'");
    assertRefused("a.project has the azkaban-flow-version '\"2.0\"': write 2.0, without quotes");
  }

  @Test
  public void shouldWarnOfAKeyThatIsThereTwice() throws Exception {
    flow20("- {name: train, type: noop, config: {x: first, x: last}}");
    try (Project project = Project.open(zip())) {
      Flows flows = project.flows(Map.of());
      assertEquals("last", flows.steps().get(0).properties().get("x"));
      assertEquals(
          List.of("night.flow: train: x is there twice: the last one counts"), flows.warnings());
    }
  }

  @Test
  public void shouldNotTakeTwoEmbeddedFlowsThatLookAlikeForOne() throws Exception {
    flow20(
        "- name: a",
        "  type: flow",
        "  nodes:",
        "  - {name: a, type: flow, nodes: [{name: train, type: noop}]}");

    assertEquals(Set.of("a:a:train"), read(Map.of(), Step::type).keySet());
  }

  @Test
  public void shouldRefuseEmbeddedFlowsThatAzkabanDoesNotFind() throws Exception {
    file("all.job", "type=flow", "flow.name=first")
        .file("first.job", "type=noop")
        .file("second.job", "type=noop", "dependencies=first");
    assertRefused("all embeds the flow first (flow.name), which is not in the project");
    files.clear();
    file("a.job", "type=flow", "flow.name=b").file("b.job", "type=flow", "flow.name=a");
    assertEquals(refused().toString(), 2, refused().size());
    assertTrue(refused().get(0), refused().get(0).contains("embeds its own again"));
  }

  @Test
  public void shouldRefuseConditionsThatAzkabanRefuses() throws Exception {
    for (String good :
        List.of(
            "one_success",
            "all_done && ${train:tony.output.auc} > 80",
            "(${train:a} == 'x') || !${train:b} != 3",
            "${train:a} == 1 &&")) {
      flow20(condition(good));
      assertEquals(good, 2, read(Map.of(), Step::name).size());
    }
    flow20(condition("${train:tony.output.auc} > 0.8"));
    assertRefused("night.flow: the condition of publish holds 0.8, which Azkaban cannot read");
    flow20(condition("${train:auc} >= 80"));
    assertRefused("night.flow: the condition of publish holds >= or <=");
    flow20(condition("${trian:auc} > 80"));
    assertRefused("night.flow: the condition of publish names the job trian, which is not in");
    flow20(condition("all_done || one_failed"));
    assertRefused("night.flow: the condition of publish holds more than one of all_success");
    flow20(condition("${train:auc} > && all_done"));
    assertRefused("night.flow: the condition of publish lacks a value");
    flow20(node("first", ", condition: \"${last:a} == 1\""), node("last", ", dependsOn: [first]"));
    assertRefused("night.flow: the condition of first names the job last, which runs only after");
    files.clear();
    file("train.job", "type=noop", "condition=${nobody:a} == 1");
    assertRefused("the condition of train names the job nobody");
  }

  @Test
  public void shouldWarnOfTextsThatAzkabanOrdersByTheirLetters() throws Exception {
    flow20(condition("${train:tony.output.auc} > '0.8'"));
    try (Project project = Project.open(zip())) {
      List<String> warnings = project.flows(Map.of()).warnings();
      assertEquals(warnings.toString(), 1, warnings.size());
      assertTrue(
          warnings.get(0), warnings.get(0).startsWith("night.flow: the condition of publish comp"));
    }
    for (String good : List.of("${train:a} > 80 && ${train:b} == 'x'", "'x' != ${train:b}")) {
      flow20(condition(good));
      try (Project project = Project.open(zip())) {
        assertEquals(good, List.of(), project.flows(Map.of()).warnings());
      }
    }
  }

  @Test
  public void shouldRefuseAnArchiveThatReachesOutAndAFileThatIsNone() throws Exception {
    file("../train.job", "type=tony");
    assertTrue(refused().get(0).contains("lies outside"));

    files.clear();
    file("a\0b.job", "type=tony");
    assertTrue(refused().get(0), refused().get(0).contains("bad name"));

    Path text = temporary.newFile("text.zip").toPath();
    Files.writeString(text, "no archive");
    assertThrows(ProjectException.class, () -> Project.open(text));
  }

  @Test
  public void shouldUnpackSoMuchOnlyWhateverAnArchiveHolds() throws Exception {
    file("a.job", "type=tony").file("b.txt", "0".repeat(64 << 20));
    Path archive = zip();
    assertTrue("small itself", Files.size(archive) < 1 << 20);

    try (Project project = Project.open(archive, 65 << 20)) {
      assertEquals(1, project.flows(Map.of()).steps().size());
    }
    ProjectException refused =
        assertThrows(ProjectException.class, () -> Project.open(archive, 1 << 20));
    assertEquals(
        List.of(archive + " holds more than 1 MiB: unpack it, and name the folder instead"),
        refused.problems());
  }
}
