package io.tony.client.notebook;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.source.InvalidJobException;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.Test;

public class NotebookJobTest {
  private static TonyConfig config(String... keysAndValues) {
    Map<String, String> values = new TreeMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return TonyConfig.builder().layer("tony.xml", values).build();
  }

  private static JobSpec read(TonyConfig config) {
    Problems problems = new Problems();
    Optional<JobSpec> job = JobSpecReader.read(config, problems);
    assertEquals(List.of(), problems.errors());
    return job.orElseThrow();
  }

  private static NotebookJob notebook() throws InvalidJobException {
    return NotebookJob.named("fraud");
  }

  @Test
  public void shouldBeOneTaskThatRunsJupyter() throws InvalidJobException {
    JobSpec job = read(notebook().of(config(), false));

    assertEquals(List.of("notebook"), job.roles().stream().map(RoleSpec::name).toList());
    assertEquals(1, job.tasks());
    assertEquals("python3 -m tony_notebook --idle 7200", job.role("notebook").command());
    assertEquals("standalone", job.framework());
    assertEquals("notebook fraud", JobSpecReader.nameOf(notebook().of(config(), false)));
  }

  @Test
  public void shouldTakeWhatItsUserSaysOfContainersAndPython() throws InvalidJobException {
    TonyConfig given =
        config(
            "tony.notebook.memory", "3g",
            "tony.notebook.gpus", "1",
            "tony.application.python-venv", "venv.zip",
            "tony.application.notebook-idle-timeout", "500ms",
            "tony.task.stop-grace-ms", "60000",
            "tony.execution.env.STAGE", "lab");

    TonyConfig job = notebook().of(given, false);
    RoleSpec role = read(job).role("notebook");

    assertEquals("venv/bin/python -m tony_notebook --idle 1", role.command());
    assertEquals(3072, role.resource().memoryMiB());
    assertEquals(1, role.resource().gpus());
    assertEquals("lab", read(job).env().get("STAGE"));
    assertEquals("60000", job.asMap().get("tony.task.stop-grace-ms"));
    assertEquals("15000", notebook().of(config(), false).asMap().get("tony.task.stop-grace-ms"));
  }

  /** The options of a training job may lie in the same folder. */
  @Test
  public void shouldStartNothingOfATrainingJob() throws InvalidJobException {
    TonyConfig given =
        config(
            "tony.worker.instances", "4",
            "tony.ps.instances", "1",
            "tony.application.framework", "pytorch",
            "tony.application.executes", "train.py",
            "tony.containers.command", "python3 train.py",
            "tony.application.checkpoint-dir", "/models",
            "tony.task.hang-timeout-ms", "60000");

    TonyConfig config = notebook().of(given, false);
    JobSpec job = read(config);

    assertEquals(1, job.tasks());
    assertEquals("python3 -m tony_notebook --idle 7200", job.role("notebook").command());
    assertFalse(job.env().containsKey("TONY_NOTEBOOK_COMMAND"));
    assertEquals("0", config.asMap().get("tony.task.hang-timeout-ms"));
  }

  @Test
  public void shouldNeverBeIdleWhereItsUserWantsThat() throws InvalidJobException {
    TonyConfig job = notebook().of(config("tony.application.notebook-idle-timeout", "0"), false);

    assertEquals("python3 -m tony_notebook --idle 0", read(job).role("notebook").command());
  }

  @Test
  public void shouldRunTheUsersCommandWhereThereIsOne() throws InvalidJobException {
    TonyConfig given =
        config(
            "tony.application.executes", "lab.py --port \"$TB_PORT\"",
            "tony.application.task-params", "'a b'",
            "tony.application.python-binary-path", "/opt/python");

    JobSpec job = read(notebook().of(given, true));

    assertEquals("/opt/python -m tony_notebook --idle 7200", job.role("notebook").command());
    assertEquals(
        "/opt/python lab.py --port \"$TB_PORT\" 'a b'", job.env().get("TONY_NOTEBOOK_COMMAND"));
    TonyConfig ofRole = config("tony.notebook.command", "serve");
    assertEquals("serve", read(notebook().of(ofRole, false)).env().get("TONY_NOTEBOOK_COMMAND"));
  }

  @Test
  public void shouldHaveATokenThatIsShownNowhere() throws InvalidJobException {
    NotebookJob notebook = notebook();
    TonyConfig job = notebook.of(config(), false);

    assertTrue(notebook.token(), notebook.token().matches("[0-9a-f]{48}"));
    assertNotEquals(notebook.token(), notebook().token());
    assertEquals(Optional.of(notebook.token()), NotebookJob.token(job));
    assertEquals(notebook.token(), read(job).env().get("JUPYTER_TOKEN"));
    assertFalse(job.toString(), job.toString().contains(notebook.token()));
    assertEquals(Optional.empty(), NotebookJob.token(config()));
  }

  @Test
  public void shouldKeepItsFilesByItsName() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "file:///");

    TonyConfig job = notebook().withFolder(notebook().of(config(), false), conf);

    String folder = job.asMap().get("tony.application.checkpoint-dir");
    assertTrue(folder, folder.matches("file:/.*/\\.tony/checkpoints/notebook-fraud"));
    assertEquals("always", job.asMap().get("tony.checkpoint.resume"));
    assertEquals("notebook", job.asMap().get("tony.checkpoint.roles"));
  }

  @Test
  public void shouldRefuseNamesThatNoFolderCanHave() {
    for (String name : List.of("", "a/b", "..", "a b", "x".repeat(65))) {
      InvalidJobException refused =
          assertThrows(InvalidJobException.class, () -> NotebookJob.named(name));
      assertTrue(
          refused.problems().toString(),
          refused.problems().get(0).startsWith("-name is '" + name + "'; it is"));
    }
  }
}
