package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.check.JobCheck;
import io.tony.client.source.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.Registry;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.container.Staging;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the check of a job, its upload and its ApplicationMaster read out of the same options. */
public class UploadTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final Map<String, String> job = new TreeMap<>();
  private Path folder;

  @Before
  public void write() throws IOException {
    folder = temporary.newFolder("job").toPath();
    Files.createDirectory(folder.resolve("source"));
    Files.writeString(folder.resolve("source/train.py"), "print()");
    Files.writeString(folder.resolve("env.zip"), "an environment");
    job.put("tony.worker.instances", "1");
    job.put("tony.application.executes", "train.py");
  }

  /** Uploads the job with these options, too, and reads it as its ApplicationMaster does. */
  private Map<String, String> frozen(Map<String, String> options) throws Exception {
    Map<String, String> values = new TreeMap<>(job);
    values.putAll(options);
    TonyConfig config = TonyConfig.builder().layer("test", values).build();
    JobCheck check = JobCheck.of(config);
    assertEquals(List.of(), check.errors());
    Staging staging =
        new Staging(
            FileSystem.getLocal(new Configuration()), temporary.getRoot() + "/staging", "app");
    staging.create();
    Path jar = Files.writeString(temporary.getRoot().toPath().resolve("tony-core.jar"), "it");
    new Upload(staging, Optional.empty(), JobFolder.of(folder), new Configuration())
        .run(config, check.job(), jar, Map.of());
    TonyConfig frozen = staging.readConfig();
    JobSpec read = JobSpecReader.read(frozen, new Problems()).orElseThrow();
    assertEquals(check.job().roles().get(0).command(), read.roles().get(0).command());
    return new TreeMap<>(frozen.asMap());
  }

  @Test
  public void shouldTakeBlanksForNothingInEachTextAndName() throws Exception {
    job.put("tony.application.python-binary-path", "python3");
    Map<String, String> without = frozen(Map.of());
    List<String> keys =
        Registry.all().stream()
            .filter(option -> Set.of("text", "name").contains(option.type()))
            .map(option -> option.key().replace("{role}", "worker"))
            .filter(key -> !job.containsKey(key) && !key.contains("{NAME}"))
            .toList();
    assertTrue("options that were tried: " + keys, keys.size() > 40);
    for (String blank : List.of("", " ")) {
      assertEquals(
          without, frozen(keys.stream().collect(Collectors.toMap(key -> key, key -> blank))));
    }
  }

  @Test
  public void shouldTakeNoBlankForAPartOfAName() throws Exception {
    Map<String, String> named =
        Map.of(
            "tony.application.src-dir", "source",
            "tony.application.python-venv", "env.zip",
            "tony.application.python-binary-path", "bin/python3",
            "tony.yarn.queue", "nightly",
            "tony.application.node-label", "gpu",
            "tony.docker.containers.image", "trainer:1");
    Map<String, String> blanks = new TreeMap<>();
    named.forEach((key, value) -> blanks.put(key, " " + value + " "));

    assertEquals(frozen(named), frozen(blanks));
  }

  /** In a folder with a blank in its name, a job may have checkpoints of years. */
  @Test
  public void shouldKeepTheBlankOfTheFolderOfCheckpoints() throws Exception {
    Map<String, String> folder = Map.of("tony.application.checkpoint-dir", "/ckpt/mnist ");

    assertTrue(frozen(folder).entrySet().containsAll(folder.entrySet()));
  }

  @Test
  public void shouldKeepEveryBlankOfAVariable() throws Exception {
    Map<String, String> variables =
        Map.of("tony.execution.env.EMPTY", "", "tony.execution.env.BLANKS", " a ");

    assertTrue(frozen(variables).entrySet().containsAll(variables.entrySet()));
  }
}
