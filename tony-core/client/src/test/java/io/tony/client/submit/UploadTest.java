package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.check.JobCheck;
import io.tony.client.input.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.Registry;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.container.Staging;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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

  private String shipment; // of the last upload
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
    Staging staging = upload(config, check.job(), Optional.empty());
    TonyConfig frozen = staging.readConfig();
    JobSpec read = JobSpecReader.read(frozen, new Problems()).orElseThrow();
    assertEquals(check.job().roles().get(0).command(), read.roles().get(0).command());
    return new TreeMap<>(frozen.asMap());
  }

  /** What was uploaded for one application is in its staging folder, or in the cache. */
  private Staging upload(TonyConfig config, JobSpec spec, Optional<UploadCache> cache)
      throws Exception {
    Staging staging =
        new Staging(
            FileSystem.newInstanceLocal(new Configuration()),
            temporary.getRoot() + "/staging",
            "app");
    staging.create();
    Path jar = Files.writeString(temporary.getRoot().toPath().resolve("tony-core.jar"), "it");
    Upload upload = new Upload(staging, cache, JobFolder.of(folder), new Configuration());
    upload.run(config, spec, jar, Map.of());
    shipment = upload.shipment().toString();
    return staging;
  }

  private static String readText(String place) throws Exception {
    return Files.readString(Path.of(place.replaceFirst("^file:/*", "/")));
  }

  @Test
  public void shouldUploadAFileThatTwoOptionsNameOnce() throws Exception {
    Files.writeString(folder.resolve("a (big) table.csv"), "1,2");
    Map<String, String> frozen =
        frozen(
            Map.of(
                "tony.containers.resources", "a (big) table.csv,source",
                "tony.worker.resources", "a (big) table.csv::table"));

    String[] forAll = frozen.get("tony.containers.resources").split(",", -1);
    String[] table = forAll[0].split("::", -1);
    assertEquals("its name goes through a shell", "a__big__table.csv", name(table[0]));
    assertEquals("a (big) table.csv", table[1]);
    assertEquals("1,2", readText(table[0]));
    assertEquals("source.tar.gz", name(forAll[1].split("::", -1)[0]));
    assertTrue(forAll[1], forAll[1].endsWith("::source#archive"));
    assertEquals(table[0] + "::table", frozen.get("tony.worker.resources"));
    assertEquals("uploaded 3 files", shipment.replaceFirst(" \\(.*", ""));
  }

  private static String name(String place) {
    return place.substring(place.lastIndexOf('/') + 1).replaceFirst("^file-[0-9]+-", "");
  }

  @Test
  public void shouldKeepOnlyLargeFilesForTheNextJob() throws Exception {
    FileSystem fs = FileSystem.newInstanceLocal(new Configuration()).getRawFileSystem();
    Optional<UploadCache> cache =
        UploadCache.open(
            fs, temporary.getRoot() + "/cache", Duration.ofDays(30), () -> Instant.now());
    Files.write(folder.resolve("small"), new byte[(256 << 10) - 1]);
    Files.write(folder.resolve("large"), new byte[256 << 10]);
    job.put("tony.containers.resources", "small,large");
    TonyConfig config = TonyConfig.builder().layer("test", job).build();
    JobSpec spec = JobCheck.of(config).job();

    Staging first = upload(config, spec, cache);
    assertEquals("uploaded 3 files (512 KiB)", shipment);
    String[] places = first.readConfig().asMap().get("tony.containers.resources").split(",", -1);
    assertTrue(places[0], places[0].contains("/staging/"));
    assertTrue(places[1], places[1].contains("/cache/"));
    upload(config, spec, cache);

    assertEquals("uploaded 2 files (256 KiB), reused 1 (256 KiB)", shipment);
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
