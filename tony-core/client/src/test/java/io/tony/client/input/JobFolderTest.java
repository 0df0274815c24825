package io.tony.client.input;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class JobFolderTest {
  private static final String SECRET = "admin=azkaban";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path execution;
  private Path secret;
  private JobFolder job;

  @Before
  public void lay() throws IOException {
    execution = temporary.newFolder("execution").toPath().toRealPath();
    secret = temporary.newFolder("conf").toPath().toRealPath().resolve("azkaban-users.xml");
    Files.writeString(secret, SECRET);
    Files.createDirectories(execution.resolve("src/deep"));
    Files.writeString(execution.resolve("src/train.py"), "print()");
    job = JobFolder.ofStep(execution, List.of(execution), List.of());
  }

  private String text(Path file) throws IOException {
    return text(file, job);
  }

  private static String text(Path file, JobFolder job) throws IOException {
    try (InputStream in = job.file(file).open()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void assertRefused(Path path) throws IOException {
    Optional<String> refusal = job.refusal(path);
    assertTrue(path + ": " + refusal, refusal.isPresent());
    if (Files.isReadable(path)) {
      assertThrows(path.toString(), IOException.class, () -> text(path));
    }
  }

  @Test
  public void shouldReadWhatLiesInTheFolder() throws IOException {
    Files.createSymbolicLink(execution.resolve("link.py"), Path.of("src/train.py"));

    for (String source :
        List.of("src/train.py", "./src/../src/train.py", "link.py", execution + "/src/train.py")) {
      Path path = job.resolve(source);
      assertEquals(source, Optional.empty(), job.refusal(path));
      assertEquals(source, "print()", text(path));
    }
    assertEquals("print()", text(job.resolve("file:" + execution + "/src/train.py")));
  }

  @Test
  public void shouldRefuseWhatLiesElsewhereHoweverItIsNamed() throws IOException {
    String up = execution.relativize(secret).toString();
    Files.createSymbolicLink(execution.resolve("link"), secret);
    Files.createSymbolicLink(execution.resolve("linked"), secret.getParent());
    Files.createSymbolicLink(execution.resolve("src/deep/again"), execution.resolve("linked"));

    for (String source :
        List.of(
            secret.toString(),
            up,
            "src/../" + up,
            "missing/../../" + up.substring(3),
            "file:" + secret,
            "file://" + secret,
            "file:" + secret + " of Azkaban",
            "link",
            "linked/azkaban-users.xml",
            "src/deep/again/azkaban-users.xml",
            secret + ".missing",
            execution + "-of-another")) {
      assertRefused(job.resolve(source));
    }
  }

  @Test
  public void shouldSayWhatToDoAboutIt() throws IOException {
    assertEquals(
        Optional.of(
            "which leads out of the job's folder "
                + execution
                + ": put it into the project, or have the administrator name its folder in"
                + " tony.client.allowed-paths (plugin.properties)"),
        job.refusal(secret));
  }

  @Test
  public void shouldRefuseWhatTheJobTypeKeepsAtAnyDepth() throws IOException {
    Path own = execution.resolve("src/deep/.tony-train-0-1/job.properties");
    Files.createDirectories(own.getParent());
    Files.writeString(own, SECRET);
    Files.createSymbolicLink(execution.resolve("harmless"), own.getParent());

    assertRefused(own);
    assertRefused(execution.resolve("harmless/job.properties"));
  }

  @Test
  public void shouldWithholdWhatAzkabanKeepsForEveryStep() throws IOException {
    for (String name :
        List.of(
            "_job.12.train.log",
            "_flow.12.log",
            "train_props_123_tmp",
            "src/deep/train_output_123_tmp")) {
      Path own = Files.writeString(execution.resolve(name), SECRET);
      assertRefused(own);
      assertTrue(name, job.withholds(execution.relativize(own)));
    }
    for (String name : List.of("_job.py", "_flow.yaml", "model_output_v2_tmp", "src/props.py")) {
      assertFalse(name, job.withholds(Path.of(name)));
    }
    assertFalse(JobFolder.of(execution).withholds(Path.of("_job.12.train.log")));
  }

  /** As Azkaban 2.5.0 lays out an execution: the job type names the project's folder, too. */
  @Test
  public void shouldReadTheProjectsFilesWhereAzkabanLinksThem() throws IOException {
    Path project = temporary.newFolder("projects").toPath().toRealPath().resolve("12.3");
    for (String name : List.of("train.job", "data/lib/model.py")) {
      Files.createDirectories(project.resolve(name).getParent());
      Files.writeString(project.resolve(name), "the project's");
      Files.createDirectories(execution.resolve(name).getParent());
      Files.createSymbolicLink(execution.resolve(name), project.resolve(name));
    }
    Files.createDirectory(execution.resolve("empty"));
    Files.createSymbolicLink(execution.resolve("empty/*"), project.resolve("empty/*"));
    job = JobFolder.ofStep(execution, List.of(execution, project), List.of());

    assertEquals("the project's", text(execution.resolve("data/lib/model.py")));
    assertEquals(List.of(), SourceArchive.unreadableFiles(execution, job));
    assertEquals(List.of(), SourceArchive.refusedFiles(execution, job));
    assertRefused(secret);
  }

  @Test
  public void shouldReadWhereTheAdministratorAllowsIt() throws IOException {
    String folders = execution + File.pathSeparator + secret.getParent();
    JobFolder wider =
        JobFolder.of(
            Map.of("TONY_JOB_FOLDER", execution + "/src", "TONY_JOB_ALLOWED_FOLDERS", folders));

    assertEquals(execution.resolve("src/train.py"), wider.resolve("train.py"));
    assertEquals(SECRET, text(secret, wider));
    assertTrue(wider.refusal(secret.getParent().getParent()).isPresent());
  }

  @Test
  public void shouldReadEverythingOnTheCommandLine() throws IOException {
    JobFolder own = JobFolder.of(Map.of());

    assertEquals(Path.of("").toAbsolutePath(), own.path());
    assertEquals(Optional.empty(), own.refusal(secret));
    assertEquals(SECRET, text(secret, own));
  }

  @Test
  public void shouldNameTheClustersFileSystemsOnly() throws IOException {
    Configuration cluster = new Configuration(false);
    cluster.set("fs.defaultFS", "hdfs://namenode");
    URI other = URI.create("s3a://secrets/x");
    assertEquals(
        Optional.of(
            "which lies on none of the cluster's file systems: put it onto hdfs://namenode, or have"
                + " the administrator name its file system in tony.client.allowed-file-systems"
                + " (plugin.properties)"),
        job.refusal(other, cluster));
    assertEquals(Optional.empty(), job.refusal(URI.create("hdfs://namenode/x"), cluster));
    assertEquals(Optional.empty(), JobFolder.of(execution).refusal(other, cluster));

    JobFolder wider =
        JobFolder.of(
            Map.of(
                "TONY_JOB_FOLDER", execution.toString(),
                "TONY_JOB_ALLOWED_FOLDERS", execution.toString(),
                "TONY_JOB_ALLOWED_FILE_SYSTEMS", "s3a://models,s3a://secrets"));
    assertEquals(Optional.empty(), wider.refusal(other, cluster));
  }

  @Test(timeout = 60_000)
  public void shouldNotFollowALinkThatIsSwappedInWhileItIsPacked() throws Exception {
    Path swapped = execution.resolve("src/deep");
    Path kept = execution.resolve("src/kept");
    Path good = swapped.resolve("azkaban-users.xml");
    Files.writeString(good, "harmless");
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<IOException> broken = new AtomicReference<>();
    Thread swapper =
        new Thread(
            () -> {
              try {
                while (!stop.get()) {
                  Files.move(swapped, kept);
                  Files.createSymbolicLink(swapped, secret.getParent());
                  Files.delete(swapped);
                  Files.move(kept, swapped);
                }
              } catch (IOException e) {
                broken.set(e);
              }
            });
    swapper.start();
    int read = 0;
    int refused = 0;
    try {
      for (int i = 0; broken.get() == null && (i < 2_000 || read < 100 || refused < 100); i++) {
        try {
          assertEquals("harmless", text(good));
          read++;
        } catch (NoSuchFileException e) {
          // It is not there at the moment.
        } catch (IOException e) {
          refused++;
        }
      }
    } finally {
      stop.set(true);
      swapper.join();
    }
    assertNull("nobody swaps any more", broken.get());
  }

  @Test
  public void shouldPackNothingThatIsNotTheJobs() throws IOException {
    Files.createSymbolicLink(execution.resolve("src/deep/link"), secret);

    assertEquals(
        List.of(execution.resolve("src/deep/link")),
        SourceArchive.refusedFiles(execution.resolve("src"), job));
    assertThrows(
        IOException.class,
        () -> SourceArchive.write(execution.resolve("src"), job, new ByteArrayOutputStream()));
  }
}
