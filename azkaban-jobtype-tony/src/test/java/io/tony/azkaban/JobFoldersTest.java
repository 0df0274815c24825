package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import azkaban.utils.Props;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class JobFoldersTest {

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final Map<String, String> azkaban = new HashMap<>();
  private Path root;
  private Path plugin;
  private Path project;

  @Before
  public void makeAPod() throws IOException {
    root = folder.getRoot().toPath().toRealPath();
    plugin = Files.createDirectories(root.resolve("plugins/jobtypes/tony"));
    project = Files.createDirectories(root.resolve("project"));
    azkaban.put("FLOW_EXECUTION_ID", "17");
    azkaban.put("AZ_HOME", root.toString());
  }

  @Test
  public void shouldTakeTheFolderOfAPodsOnlyExecution() throws Exception {
    Path inner = Files.createDirectories(project.resolve("17/etl"));

    Map<String, String> environment = folders(inner);

    assertEquals(project.toString(), environment.get("TONY_JOB_ALLOWED_FOLDERS"));
    assertEquals("true", environment.get("TONY_AZKABAN_POD"));
  }

  @Test
  public void shouldTakeNoFolderOfAPodThatIsAnotherExecutionsOrOutsideOfIt() throws Exception {
    azkaban.put("FLOW_EXECUTION_ID", "16");
    assertCannotTell(project);

    azkaban.put("FLOW_EXECUTION_ID", "17");
    assertCannotTell(Files.createDirectories(root.resolve("conf")));
    assertCannotTell(Files.createDirectories(root.resolve("projects")));

    azkaban.remove("FLOW_EXECUTION_ID");
    assertCannotTell(project);
  }

  @Test
  public void shouldAllowNothingByAFolderThatThisMachineDoesNotHave() throws Exception {
    Path shared = folder.newFolder("shared").toPath().toRealPath();
    allow("/not/on/this/machine, " + shared);

    assertEquals(project + ":" + shared, folders(project).get("TONY_JOB_ALLOWED_FOLDERS"));

    for (String wrong :
        List.of("shared", shared + ":/etc", "/no:thing", folder.newFile().getPath())) {
      allow(wrong);
      String message = assertThrows(JobFailedException.class, () -> folders(project)).getMessage();
      assertTrue(message, message.contains("names " + wrong + ", which is not the absolute path"));
    }
  }

  @Test
  public void shouldNameAJobTheSameInAllItsAttempts() throws Exception {
    String first = JobFolders.nameInExecution("train", job(project, "_job.17.train"), "0");

    assertEquals(first, JobFolders.nameInExecution("train", job(project, "_job.17.2.train"), "2"));
    assertEquals(
        project.resolve("_job.17.sub._.1.train.attach").toString(),
        JobFolders.nameInExecution("1.train", job(project, "_job.17.sub._.1.train"), "0"));
  }

  private void assertCannotTell(Path jobFolder) {
    String message = assertThrows(JobFailedException.class, () -> folders(jobFolder)).getMessage();
    assertTrue(message, message.contains("The execution's folder cannot be determined"));
  }

  private void allow(String paths) throws IOException {
    Files.writeString(plugin.resolve("plugin.properties"), "tony.client.allowed-paths=" + paths);
  }

  private Map<String, String> folders(Path jobFolder) throws Exception {
    SiteProperties site = SiteProperties.read(plugin.toFile(), new Props());
    return JobFolders.of(
            "train", job(jobFolder, "_job.17.train"), site, jobFolder.toFile(), azkaban)
        .environment();
  }

  private static Props job(Path jobFolder, String attachment) {
    return Props.of(
        "azkaban.job.attachment.file", jobFolder.resolve(attachment + ".attach").toString());
  }
}
