package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.flow.Flow;
import azkaban.flow.Node;
import azkaban.project.DirectoryFlowLoader;
import azkaban.project.FlowLoader;
import azkaban.project.FlowLoaderFactory;
import azkaban.project.NodeBean;
import azkaban.project.NodeBeanLoader;
import azkaban.utils.Props;
import azkaban.utils.PropsUtils;
import io.tony.client.check.project.Project;
import io.tony.client.check.project.ProjectException;
import io.tony.client.check.project.Step;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * {@code tony validate PROJECT} and the loaders of Azkaban 3.58.0 with generated projects: which of
 * them are refused, which steps there are, and which properties each step has.
 */
public final class ValidateAsAzkabanLoadsTest {

  private static final int PROJECTS = 300;

  private static final Map<String, String> PARAMETERS = Map.of("p", "parameter", "given", "${q}");

  /** Where {@code tony validate} refuses what Azkaban takes and does not run as it is written. */
  private static final List<String> STRICTER =
      List.of(
          "break the circle",
          "which runs only afterwards",
          "which is no job of its flow",
          "Azkaban takes texts only",
          "a node is empty"); // below a job, which Azkaban does not look into

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final long seed = Long.getLong("tony.test.seed", 20261127);
  private final ProjectGenerator generator = new ProjectGenerator(new Random(seed));
  private int accepted;

  /** What validate says of a project. */
  private record Told(List<String> problems, List<Step> steps) {
    static Told of(Path folder) throws IOException {
      try (Project project = Project.open(folder)) {
        return new Told(List.of(), project.flows(PARAMETERS).steps());
      } catch (ProjectException e) {
        return new Told(e.problems(), List.of());
      }
    }
  }

  @Test
  public void shouldLoadProjectsOfJobFilesAsAzkabanDoes() throws IOException {
    for (int i = 0; i < PROJECTS; i++) {
      Path folder = write(generator.jobFiles());
      DirectoryFlowLoader loader = new DirectoryFlowLoader(new Props());
      Told told = Told.of(folder);
      assertDecided(folder, errors(loader, folder), told.problems());
      if (told.problems().isEmpty()) {
        assertSteps(folder, stepsOf(loader), told.steps());
      }
    }
    assertMixed();
  }

  @Test
  public void shouldLoadProjectsOfFlowFilesAsAzkabanDoes() throws IOException {
    for (int i = 0; i < PROJECTS; i++) {
      Path folder = write(generator.flowFiles());
      Set<String> errors;
      try {
        errors =
            errors(new FlowLoaderFactory(new Props()).createFlowLoader(folder.toFile()), folder);
      } catch (RuntimeException e) {
        errors = Set.of(e.toString());
      }
      Told told = Told.of(folder);
      assertDecided(folder, errors, told.problems());
      if (told.problems().isEmpty()) {
        assertSteps(folder, stepsOf(folder), told.steps());
      }
    }
    assertMixed();
  }

  private static Set<String> errors(FlowLoader loader, Path folder) {
    try {
      loader.loadProjectFlow(new azkaban.project.Project(1, "p"), folder.toFile());
      return loader.getErrors();
    } catch (RuntimeException | StackOverflowError e) { // the upload fails, too
      return Set.of(e.toString());
    }
  }

  /** A generator that makes nothing that loads, or nothing that does not, compares nothing. */
  private void assertMixed() {
    assertTrue(
        accepted + " of " + PROJECTS + " accepted, seed " + seed,
        accepted > PROJECTS / 5 && accepted < PROJECTS * 4 / 5);
  }

  private Path write(Map<String, byte[]> files) throws IOException {
    Path folder = temporary.newFolder().toPath();
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
    return folder;
  }

  private String shown(Path folder) throws IOException {
    StringBuilder shown = new StringBuilder("seed " + seed + " (-Dtony.test.seed)\n");
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        shown.append("--- ").append(folder.relativize(file)).append('\n');
        shown.append(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)).append('\n');
      }
    }
    return shown.toString();
  }

  private void assertDecided(Path folder, Set<String> errors, List<String> problems)
      throws IOException {
    boolean stricter =
        problems.stream().allMatch(problem -> STRICTER.stream().anyMatch(problem::contains));
    String both = "Azkaban says " + errors + ", tony validate " + problems + "\n" + shown(folder);
    assertTrue(both, errors.isEmpty() || !problems.isEmpty());
    assertTrue(both, !errors.isEmpty() || problems.isEmpty() || stricter);
    accepted += errors.isEmpty() ? 1 : 0;
  }

  private void assertSteps(Path folder, Map<String, Props> expected, List<Step> steps)
      throws IOException {
    String shown = shown(folder);
    Set<String> labels = new TreeSet<>();
    for (Step step : steps) {
      labels.add(step.label());
      Props props = expected.get(step.label());
      assertTrue(step.label() + " is no step of Azkaban's\n" + shown, props != null);
      boolean isOpen = !step.unresolved().isEmpty() || !step.problems().isEmpty();
      Map<String, String> resolved;
      try {
        resolved = new TreeMap<>(PropsUtils.resolveProps(props).getFlattened());
      } catch (RuntimeException e) {
        assertTrue(step.label() + ": " + e + "\n" + shown, isOpen);
        continue;
      }
      assertTrue(step.label() + ": " + step.problems() + step.unresolved() + "\n" + shown, !isOpen);
      assertEquals(step.label() + "\n" + shown, resolved, new TreeMap<>(step.properties()));
    }
    assertEquals(shown, new TreeSet<>(expected.keySet()), labels);
  }

  /** As FlowRunner puts them together: the .properties files, the flow's, the job's own. */
  private static Map<String, Props> stepsOf(DirectoryFlowLoader loader) {
    Set<String> embedded = new HashSet<>();
    loader.getFlowMap().values().stream()
        .flatMap(flow -> flow.getNodes().stream())
        .filter(node -> node.getEmbeddedFlowId() != null)
        .forEach(node -> embedded.add(node.getEmbeddedFlowId()));
    Map<String, Props> steps = new TreeMap<>();
    for (Flow flow : loader.getFlowMap().values()) {
      if (!embedded.contains(flow.getId())) {
        add(loader, flow, "", parameters(), steps);
      }
    }
    return steps;
  }

  private static void add(
      DirectoryFlowLoader loader,
      Flow flow,
      String prefix,
      Props around,
      Map<String, Props> steps) {
    for (Node node : flow.getNodes()) {
      Props job = loader.getJobPropsMap().get(node.getId());
      Props own = Props.clone(around);
      if (node.getEmbeddedFlowId() == null && job.getParent() != null) {
        own.setEarliestAncestor(job.getParent());
      }
      Props whole = new Props(own);
      whole.putLocal(job);
      if (node.getEmbeddedFlowId() == null) {
        steps.put(prefix + node.getId(), whole);
      } else {
        Flow inner = loader.getFlowMap().get(node.getEmbeddedFlowId());
        add(loader, inner, prefix + node.getId() + ":", whole, steps);
      }
    }
  }

  private static Props parameters() {
    Props props = new Props();
    props.putAll(PARAMETERS);
    return props;
  }

  private static Map<String, Props> stepsOf(Path folder) throws IOException {
    Map<String, Props> steps = new TreeMap<>();
    List<Path> flows = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      files.filter(file -> file.toString().endsWith(".flow")).forEach(flows::add);
    }
    for (Path file : flows) {
      NodeBean flow;
      try {
        flow = new NodeBeanLoader().load(file.toFile());
      } catch (Exception e) {
        throw new IOException(e);
      }
      Props around = parameters();
      around.setEarliestAncestor(flow.getProps());
      around.put("type", "");
      add(flow, flow.getName() + "/", around, steps);
    }
    return steps;
  }

  private static void add(NodeBean flow, String prefix, Props around, Map<String, Props> steps) {
    for (NodeBean node : flow.getNodes()) {
      Props whole = new Props(Props.clone(around));
      whole.putLocal(node.getProps());
      if (node.getType().equals("flow")) {
        add(node, prefix + node.getName() + ":", whole, steps);
      } else {
        steps.put(prefix + node.getName(), whole);
      }
    }
  }
}
