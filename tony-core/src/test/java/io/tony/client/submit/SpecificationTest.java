package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import io.tony.client.check.JobCheck;
import io.tony.client.source.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.container.Staging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SpecificationTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final Map<String, String> values = new TreeMap<>();
  private Path folder;

  @Before
  public void write() throws IOException {
    folder = temporary.newFolder("job").toPath();
    Files.createDirectory(folder.resolve("src"));
    Files.writeString(folder.resolve("src/train.py"), "print()");
    Files.writeString(folder.resolve("words.txt"), "words");
    Files.writeString(folder.resolve("env.zip"), "an environment");
    values.put("tony.azkaban.project", "recommender");
    values.put("tony.azkaban.flow", "nightly");
    values.put("tony.azkaban.job", "train");
    values.put("tony.azkaban.execution", "1");
    values.put("tony.worker.instances", "1");
    values.put("tony.containers.command", "python3 train.py");
    values.put("tony.application.src-dir", "src");
    values.put("tony.worker.resources", "words.txt::vocabulary");
    values.put("tony.application.python-venv", "env.zip");
  }

  private TonyConfig config() {
    return TonyConfig.builder().layer("test", values).build();
  }

  private String specification() throws IOException {
    return Specification.of(
        config(), JobCheck.of(config()).job(), JobFolder.of(folder), new Configuration());
  }

  @Test
  public void shouldBeTheSameInEveryExecution() throws IOException {
    String first = specification();
    values.put("tony.azkaban.execution", "2");
    values.put("tony.azkaban.attempt", "1");
    values.put("tony.azkaban.on-existing", "attach");
    values.put("tony.application.name", "train-2");

    assertEquals(first, specification());
  }

  @Test
  public void shouldDifferByEachOptionAndEachContent() throws IOException {
    String first = specification();
    for (String file : new String[] {"src/train.py", "words.txt", "env.zip"}) {
      String content = Files.readString(folder.resolve(file));
      Files.writeString(folder.resolve(file), content + "!");
      assertNotEquals(file, first, specification());
      Files.writeString(folder.resolve(file), content);
    }
    assertEquals(first, specification());
    values.put("tony.worker.instances", "2");
    assertNotEquals(first, specification());
  }

  @Test
  public void shouldBeRecordedByTheUploadAsItIsComputedWithoutOne() throws IOException {
    Staging staging =
        new Staging(
            FileSystem.getLocal(new Configuration()),
            temporary.getRoot() + "/staging",
            "application_1_0001");
    staging.create();
    Path jar = Files.writeString(folder.resolve("tony-core.jar"), "this program");

    TonyConfig frozen =
        new Upload(staging, Optional.empty(), JobFolder.of(folder), new Configuration())
            .run(config(), JobCheck.of(config()).job(), jar, Map.of());

    assertEquals(Optional.of(specification()), frozen.find(AzkabanOptions.SPECIFICATION));
    assertEquals(frozen.asMap(), staging.readConfig().asMap());
  }
}
