package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which jobs have their checkpoints in one folder. */
public class CheckpointLocationTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final Map<String, String> values =
      new TreeMap<>(
          Map.of(
              "tony.azkaban.project", "recommender",
              "tony.azkaban.flow", "nightly",
              "tony.azkaban.job", "train",
              "tony.azkaban.execution", "17"));

  private String folder(String application) throws IOException {
    return CheckpointLocation.uri(
        FileSystem.getLocal(new Configuration()),
        TonyConfig.builder().layer("test", values).build(),
        application);
  }

  @Test
  public void shouldBeOneForAllAttemptsOfAnExecution() throws IOException {
    String first = folder("application_1_0001");

    assertEquals(first, folder("application_1_0002"));
    assertTrue(first, first.contains("/.tony/checkpoints/recommender.nightly.17.train-"));
    values.put("tony.azkaban.execution", "18");
    assertNotEquals(first, folder("application_1_0002"));
  }

  @Test
  public void shouldBeOneForAllExecutionsOfAStepWhereThatIsWanted() throws IOException {
    values.put("tony.checkpoint.scope", "step");
    String first = folder("application_1_0001");

    assertTrue(first, first.contains("/.tony/checkpoints/recommender.nightly.train-"));
    values.put("tony.azkaban.execution", "18");
    assertEquals(first, folder("application_1_0002"));
    values.put("tony.azkaban.job", "evaluate");
    assertNotEquals(first, folder("application_1_0002"));
  }

  @Test
  public void shouldBeTheOneThatIsNamedWhateverTheScope() throws IOException {
    values.put("tony.application.checkpoint-dir", "hdfs://c/shared");
    assertEquals("hdfs://c/shared", folder("application_1_0001"));
    values.put("tony.checkpoint.scope", "step");
    assertEquals("hdfs://c/shared", folder("application_1_0001"));
  }

  @Test
  public void shouldBeTheApplicationsWhereNobodyKnowsTheStep() throws IOException {
    values.clear();

    assertTrue(folder("application_1_0001").endsWith("/.tony/checkpoints/application_1_0001"));
  }

  private FileSystem home() throws IOException {
    FileSystem fs =
        new RawLocalFileSystem() {
          @Override
          public Path getHomeDirectory() {
            return new Path(temporary.getRoot().toURI());
          }
        };
    fs.initialize(URI.create("file:///"), new Configuration());
    return fs;
  }

  private String rights(String folder) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(temporary.getRoot().toPath().resolve(folder)));
  }

  @Test
  public void shouldBeClosedToOtherUsersWhereTonyChoseTheFolder() throws IOException {
    FileSystem fs = home();

    CheckpointLocation.restrictAccess(fs, CheckpointLocation.uri(fs, "notebook-default"));

    assertEquals("rwx------", rights(".tony/checkpoints"));
    assertEquals("the service of histories passes", 'x', rights(".tony").charAt(8));
  }

  @Test
  public void shouldBeClosedThatAnEarlierVersionLeftOpen() throws IOException {
    FileSystem fs = home();
    Path all = new Path(fs.getHomeDirectory(), ".tony/checkpoints");
    FileSystem.mkdirs(fs, all, new FsPermission("0755"));

    CheckpointLocation.restrictAccess(fs, CheckpointLocation.uri(fs, "application_1_0001"));

    assertEquals("rwxr-x---", rights(".tony/checkpoints"));
  }

  @Test
  public void shouldStayAsTheUserHasThemForTheGroupOrElsewhere() throws IOException {
    FileSystem fs = home();
    Path all = new Path(fs.getHomeDirectory(), ".tony/checkpoints");
    FileSystem.mkdirs(fs, all, new FsPermission("0750"));
    Path named = new Path(fs.getHomeDirectory(), "models");
    FileSystem.mkdirs(fs, named, new FsPermission("0755"));

    CheckpointLocation.restrictAccess(fs, CheckpointLocation.uri(fs, "application_1_0001"));
    CheckpointLocation.restrictAccess(fs, named.toString());

    assertEquals("rwxr-x---", rights(".tony/checkpoints"));
    assertEquals("rwxr-xr-x", rights("models"));
  }
}
