package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.project.FlowLoaderUtils;
import azkaban.utils.Props;
import azkaban.utils.PropsUtils;
import io.tony.azkaban.AzkabanHost.HostedJob;
import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Test;

/**
 * The steps of {@code nightly.flow}, the sample flow in Azkaban's Flow 2.0: their properties as
 * Azkaban 3.58.0 reads them, the jobs as its JobTypeManager makes them. Only its flow runner is
 * missing, which is not in Maven Central; the steps run here one after the other.
 */
public final class NightlyFlow20IT extends PackagedPluginTest {

  private Path flow;

  @Before
  public void prepare() throws Exception {
    // Azkaban's own command jobs: this process is no server with a program to change users.
    Files.write(
        jobTypes().resolve("commonprivate.properties"),
        List.of("execute.as.user=false", "memCheck.enabled=false"));
    flow = ExecutionFolder.in(folder.getRoot().toPath()).path().resolve("nightly");
    copy(BuildArtifacts.file("sample-flows/nightly"), flow);
  }

  @Test
  public void shouldTrainEvaluateAndPublish() throws Exception {
    run("collect", Map.of());
    Map<String, String> trained = run("train", Map.of());
    assertEquals(log.lines().toString(), "1800", trained.get("tony.output.last_step"));
    Map<String, String> evaluated = run("evaluate", trained);
    run("publish", evaluated);

    String accuracy = evaluated.get("tony.output.accuracy");
    assertTrue(evaluated.toString(), Double.parseDouble(accuracy) > 0.9);
    String model = Files.readString(shared().resolve("published/model.json"));
    assertTrue(model, model.contains("\"step\": 1800"));
  }

  private Path shared() {
    return folder.getRoot().toPath().resolve("shared");
  }

  /** Runs a step with what the step before it published; returns what it publishes itself. */
  private Map<String, String> run(String step, Map<String, String> published) throws Exception {
    Path file = flow.resolve("nightly.flow");
    Props inherited = new Props(FlowLoaderUtils.getPropsFromYamlFile("nightly", file.toFile()));
    inherited.put("python", "python3");
    inherited.put("shared.dir", shared().toString());
    inherited.put("night", "2026-11-20");
    inherited.putAll(published);
    Props properties =
        new Props(
            inherited, FlowLoaderUtils.getPropsFromYamlFile("nightly:" + step, file.toFile()));
    new ExecutionFolder(flow.getParent())
        .properties(flow, step)
        .forEach((key, value) -> properties.put(key, value));
    properties.put("azkaban.flow.projectname", "nightly");
    properties.put("azkaban.flow.flowid", "nightly");
    properties.put("azkaban.flow.execid", "17");
    properties.put("azkaban.flow.submituser", System.getProperty("user.name"));
    properties.put("azkaban.job.id", step);

    HostedJob job =
        AzkabanHost.AZKABAN_3.build(
            jobTypes(),
            step,
            PropsUtils.toStringMap(PropsUtils.resolveProps(properties), false),
            log.logger());
    job.run();
    return job.outputs();
  }

  private static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> paths = Files.walk(source)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Files.copy(path, target.resolve(source.relativize(path).toString()));
      }
    }
  }
}
