package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.Constants;
import azkaban.flow.Flow;
import azkaban.project.DirectoryFlowLoader;
import azkaban.project.DirectoryYamlFlowLoader;
import azkaban.project.FlowLoaderUtils;
import azkaban.project.Project;
import azkaban.utils.Props;
import io.tony.testing.BuildArtifacts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.Before;
import org.junit.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * The sample flow {@code nightly} is there twice: as {@code .job} files and in Azkaban's Flow 2.0.
 * The loaders of Azkaban 3.58.0 make the same steps of both.
 */
public final class NightlyFlowFormsTest {

  private static final File FOLDER = BuildArtifacts.file("sample-flows/nightly").toFile();

  private final DirectoryFlowLoader jobFiles = new DirectoryFlowLoader(new Props());
  private final DirectoryYamlFlowLoader yaml = new DirectoryYamlFlowLoader(new Props());

  @Before
  public void load() {
    yaml.loadProjectFlow(new Project(1, "nightly"), FOLDER);
    jobFiles.loadProjectFlow(new Project(1, "nightly"), FOLDER);
    assertEquals(Set.of(), yaml.getErrors());
    assertEquals(Set.of(), jobFiles.getErrors());
  }

  /** By this file Azkaban chooses the loader. */
  @Test
  public void shouldBeAProjectOfFlow20() throws IOException {
    Map<String, Object> project =
        new Yaml()
            .load(
                Files.readString(
                    FOLDER.toPath().resolve("flow20" + Constants.PROJECT_FILE_SUFFIX)));

    assertTrue(
        FlowLoaderUtils.isAzkabanFlowVersion20(
            (double) project.get(Constants.ConfigurationKeys.AZKABAN_FLOW_VERSION)));
  }

  @Test
  public void shouldHaveTheSameStepsInTheSameOrder() {
    Flow ofYaml = yaml.getFlowMap().get("nightly");
    Flow ofJobFiles = jobFiles.getFlowMap().get("publish");

    assertEquals(
        Map.of("collect", "command", "train", "tony", "evaluate", "tony", "publish", "command"),
        types(ofYaml));
    assertEquals(types(ofYaml), types(ofJobFiles));
    assertEquals(Set.of("collect>>train", "train>>evaluate", "evaluate>>publish"), edges(ofYaml));
    assertEquals(edges(ofYaml), edges(ofJobFiles));
  }

  @Test
  public void shouldGiveEachStepTheSameProperties() {
    File file = new File(FOLDER, "nightly.flow");
    Map<String, String> ofFlow = own(FlowLoaderUtils.getPropsFromYamlFile("nightly", file));
    for (String step : types(yaml.getFlowMap().get("nightly")).keySet()) {
      Map<String, String> ofYaml = new TreeMap<>(ofFlow);
      ofYaml.putAll(own(FlowLoaderUtils.getPropsFromYamlFile("nightly:" + step, file)));

      Props job = jobFiles.getJobPropsMap().get(step);
      Map<String, String> ofJobFile = new TreeMap<>(own(job.getParent()));
      ofJobFile.putAll(own(job));
      ofJobFile.remove("dependencies");

      assertFalse(step, ofJobFile.isEmpty());
      assertEquals(step, ofJobFile, ofYaml);
    }
  }

  private static Map<String, String> types(Flow flow) {
    return flow.getNodes().stream()
        .collect(Collectors.toMap(node -> node.getId(), node -> node.getType()));
  }

  private static Set<String> edges(Flow flow) {
    return flow.getEdges().stream()
        .map(edge -> edge.getId())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, String> own(Props properties) {
    Map<String, String> own = new HashMap<>();
    properties.localKeySet().forEach(key -> own.put(key, properties.get(key)));
    return own;
  }
}
