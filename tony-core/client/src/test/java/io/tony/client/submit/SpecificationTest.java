package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.check.JobCheck;
import io.tony.client.input.JobFolder;
import io.tony.client.input.LocalFile;
import io.tony.client.input.Sha256;
import io.tony.client.input.SourceArchive;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.CheckpointOptions;
import io.tony.container.LocalStaging;
import io.tony.container.Staging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
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

  private List<String> specifications() throws IOException {
    return Specification.hashes(
        config(), JobCheck.of(config()).job(), JobFolder.of(folder), new Configuration());
  }

  private String specification() throws IOException {
    return specifications().get(0);
  }

  /** So that an update of TonY is no reason to end what still trains. */
  @Test
  public void shouldBeThatOf02Too() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    Path source = folder.resolve("src");
    SourceArchive.write(source, JobFolder.of(folder), packed);
    Map<String, String> contents = new TreeMap<>();
    contents.put(
        "src",
        Sha256.of(LocalFile.of(Files.write(folder.resolve("src.tgz"), packed.toByteArray()))));
    for (String file : List.of("words.txt", "env.zip")) {
      contents.put(file, Sha256.of(LocalFile.of(folder.resolve(file))));
    }

    String as02 =
        Specification.hash(
            config(),
            JobCheck.of(config()).job(),
            JobFolder.of(folder),
            new Configuration(),
            contents);

    assertEquals(List.of(specification(), as02), specifications());
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
  public void shouldConfirmNoGuessOfASecret() throws IOException {
    values.put("tony.containers.command", "python3 train.py --api-key one --data https://u:one@h/");
    values.put("tony.execution.env.DB_PASSWORD", "one");
    values.put("tony.application.shell-env", "HF_TOKEN=one,LAYERS=7");
    String first = specification();
    String training = training();

    values.replaceAll((key, value) -> value.replace("one", "another"));

    assertEquals(first, specification());
    assertEquals(training, training());
    values.put("tony.execution.env.RATE", "0.1");
    assertNotEquals("a variable that is no secret", first, specification());
    assertNotEquals(training, training());
  }

  @Test
  public void shouldBeRecordedByTheUploadAsItIsComputedWithoutOne() throws IOException {
    Staging staging = LocalStaging.create(temporary.newFolder("staging"));
    Path jar = Files.writeString(folder.resolve("tony-core.jar"), "this program");

    TonyConfig frozen =
        new Upload(staging, Optional.empty(), JobFolder.of(folder), new Configuration())
            .run(config(), JobCheck.of(config()).job(), jar, Map.of());

    assertEquals(Optional.of(specification()), frozen.find(AzkabanOptions.SPECIFICATION));
    assertEquals(frozen.asMap(), staging.readConfig().asMap());
  }

  // ---- What trains ----

  /** Its files are not this machine's, as far as a client knows. */
  public static final class Cluster extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return URI.create("cluster:///");
    }
  }

  private String training() throws IOException {
    Configuration conf = new Configuration();
    conf.setClass("fs.cluster.impl", Cluster.class, FileSystem.class);
    Staging staging = LocalStaging.create(temporary.newFolder());
    Path jar = Files.writeString(temporary.getRoot().toPath().resolve("tony-core.jar"), "it");
    return new Upload(staging, Optional.empty(), JobFolder.of(folder), conf)
        .run(config(), JobCheck.of(config()).job(), jar, Map.of())
        .find(CheckpointOptions.TRAINING)
        .orElseThrow()
        .get(0);
  }

  @Test
  public void shouldTrainTheSameHoweverManyAndWhereverTheyRun() throws IOException {
    String first = training();
    values.put("tony.azkaban.execution", "2");
    values.put("tony.worker.instances", "4");
    values.put("tony.worker.memory", "3g");
    values.put("tony.yarn.queue", "other");
    values.put("tony.gang.max-restarts", "3");
    values.put("tony.application.timeout", "2h");
    values.put("tony.checkpoint.keep", "5");
    values.put("tony.tensorboard.instances", "1");
    values.put("tony.tensorboard.command", "tensorboard");
    values.put("tony.tensorboard.resources", "look.txt");
    Files.writeString(folder.resolve("look.txt"), "light");

    assertEquals(first, training());
    Files.writeString(folder.resolve("look.txt"), "dark");
    assertEquals("a sidecar's file", first, training());
  }

  @Test
  public void shouldTrainAnotherWithOtherCode() throws IOException {
    Set<String> all = new HashSet<>(Set.of(training()));
    for (String file : new String[] {"src/train.py", "words.txt", "env.zip"}) {
      Files.writeString(folder.resolve(file), Files.readString(folder.resolve(file)) + "!");
      assertTrue(file, all.add(training()));
    }
    values.put("tony.worker.command", "python3 train.py --lr 0.1");
    assertTrue(all.add(training()));
    values.put("tony.execution.env.LAYERS", "7");
    assertTrue(all.add(training()));
    values.put("tony.worker.env.LAYERS", "8");
    assertTrue(all.add(training()));
    values.put("tony.application.framework", "standalone");
    assertTrue(all.add(training()));
    values.put("tony.docker.enabled", "true");
    values.put("tony.docker.containers.image", "train:1");
    assertTrue(all.add(training()));
    values.put("tony.docker.containers.image", "train:2");
    assertTrue("another image", all.add(training()));
  }

  @Test
  public void shouldTrainAnotherWithOtherFilesInTheCluster() throws IOException {
    Path remote = Files.writeString(temporary.getRoot().toPath().resolve("data.txt"), "1");
    FileTime time = Files.getLastModifiedTime(remote);
    String first = training();
    values.put("tony.worker.resources", "words.txt::vocabulary,cluster://" + remote);
    Set<String> all = new HashSet<>(Set.of(first));
    assertTrue(all.add(training()));
    assertFalse("the same file", all.add(training()));
    Files.writeString(remote, "12");
    Files.setLastModifiedTime(remote, time);
    assertTrue("another length", all.add(training()));
    Files.setLastModifiedTime(remote, FileTime.fromMillis(time.toMillis() + 5_000));
    assertTrue("another time", all.add(training()));
  }
}
