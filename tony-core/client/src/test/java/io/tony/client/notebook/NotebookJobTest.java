package io.tony.client.notebook;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobSources;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.Test;

public class NotebookJobTest {
  private static final String COMMAND = "python3 .tony/python/tony_notebook.py --idle 7200";

  private static TonyConfig config(String... keysAndValues) {
    return from("tony.xml", keysAndValues);
  }

  private static TonyConfig from(String origin, String... keysAndValues) {
    Map<String, String> values = new TreeMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return TonyConfig.builder().layer(origin, values).build();
  }

  private static JobSpec read(TonyConfig config) {
    Problems problems = new Problems();
    Optional<JobSpec> job = JobSpecReader.read(config, problems);
    assertEquals(List.of(), problems.errors());
    return job.orElseThrow();
  }

  private static Map<String, String> environment(JobSpec job) {
    return job.role("notebook").env();
  }

  private static NotebookJob notebook() throws InvalidJobException {
    return NotebookJob.create("fraud");
  }

  @Test
  public void shouldBeOneTaskThatRunsJupyter() throws InvalidJobException {
    JobSpec job = read(notebook().withNotebookOptions(config()));

    assertEquals(List.of("notebook"), job.roles().stream().map(RoleSpec::name).toList());
    assertEquals(1, job.taskCount());
    assertEquals(COMMAND, job.role("notebook").command());
    assertEquals("standalone", job.framework());
    assertEquals("notebook fraud", JobSpecReader.nameOf(notebook().withNotebookOptions(config())));
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

    TonyConfig job = notebook().withNotebookOptions(given);
    RoleSpec role = read(job).role("notebook");

    assertEquals("venv/bin/python .tony/python/tony_notebook.py --idle 1", role.command());
    assertEquals(3072, role.resource().memoryMiB());
    assertEquals(1, role.resource().gpus());
    assertEquals("lab", read(job).env().get("STAGE"));
    assertEquals("60000", job.asMap().get("tony.task.stop-grace-ms"));
    assertEquals(
        "15000ms", notebook().withNotebookOptions(config()).asMap().get("tony.task.stop-grace-ms"));
  }

  /** The options of a training job may lie in the same folder. */
  @Test
  public void shouldTakeNothingOfATrainingJob() throws InvalidJobException {
    TonyConfig given =
        config(
            "tony.worker.instances", "4",
            "tony.worker.gpus", "8",
            "tony.ps.instances", "1",
            "tony.application.framework", "pytorch",
            "tony.application.distributed-mode", "FCFS",
            "tony.application.executes", "train.py",
            "tony.application.task-params", "--steps 5",
            "tony.application.enable-preprocess", "true",
            "tony.application.prepare-stage", "ps",
            "tony.application.training-stage", "worker",
            "tony.application.group.all", "worker,ps",
            "tony.application.dependency.worker.timeout.after.all", "60",
            "tony.application.dependency.worker.timeout.after.all.ignored", "true",
            "tony.application.stop-on-failure-roles", "worker",
            "tony.application.untracked.roles", "ps",
            "tony.application.success-policy", "CHIEF",
            "tony.application.checkpoint-dir", "/models",
            "tony.containers.command", "python3 train.py",
            "tony.task.hang-timeout-ms", "60000",
            "tony.task.stop-grace-ms", "3000",
            "tony.containers.envs", "STAGE=lab");

    TonyConfig config = notebook().withNotebookOptions(given);
    JobSpec job = read(config);

    assertEquals(1, job.taskCount());
    assertEquals(COMMAND, job.role("notebook").command());
    assertEquals(Set.of("JUPYTER_TOKEN"), environment(job).keySet());
    assertEquals("lab", job.env().get("STAGE"));
    assertEquals("15000ms", config.asMap().get("tony.task.stop-grace-ms"));
    assertFalse(config.toString(), config.toString().contains("worker"));
    assertFalse(config.toString(), config.toString().contains("hang"));
  }

  @Test
  public void shouldNeverBeIdleWhereItsUserWantsThat() throws InvalidJobException {
    TonyConfig job =
        notebook().withNotebookOptions(config("tony.application.notebook-idle-timeout", "0"));

    assertEquals(
        "python3 .tony/python/tony_notebook.py --idle 0", read(job).role("notebook").command());
  }

  @Test
  public void shouldRunTheUsersCommandWhereThereIsOne() throws InvalidJobException {
    TonyConfig given =
        from(
            JobSources.COMMAND_LINE,
            "tony.application.executes",
            "lab.py --port \"$TB_PORT\"",
            "tony.application.task-params",
            "'a b'",
            "tony.application.python-binary-path",
            "/opt/python");

    JobSpec job = read(notebook().withNotebookOptions(given));

    assertEquals(
        "/opt/python .tony/python/tony_notebook.py --idle 7200", job.role("notebook").command());
    assertEquals(
        "/opt/python lab.py --port \"$TB_PORT\" 'a b'",
        environment(job).get("TONY_NOTEBOOK_COMMAND"));
    TonyConfig ofRole = config("tony.notebook.command", "serve");
    assertEquals(
        "serve",
        environment(read(notebook().withNotebookOptions(ofRole))).get("TONY_NOTEBOOK_COMMAND"));
  }

  @Test
  public void shouldHaveATokenThatIsShownNowhere() throws InvalidJobException {
    NotebookJob notebook = notebook();
    TonyConfig given =
        config("tony.notebook.env", "JUPYTER_TOKEN=a", "tony.execution.env.JUPYTER_TOKEN", "b");
    TonyConfig job = notebook.withNotebookOptions(given);

    assertTrue(notebook.token(), notebook.token().matches("[0-9a-f]{48}"));
    assertNotEquals(notebook.token(), notebook().token());
    assertEquals(Optional.of(notebook.token()), NotebookJob.token(job));
    assertEquals(notebook.token(), environment(read(job)).get("JUPYTER_TOKEN"));
    assertFalse(job.toString(), job.toString().contains(notebook.token()));
    assertEquals(
        Optional.empty(),
        NotebookJob.token(
            config("tony.notebook.command", "lab", "tony.notebook.env.JUPYTER_TOKEN", "abc")));
  }

  @Test
  public void shouldKeepItsFilesByItsName() throws Exception {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", "file:///");

    TonyConfig job = notebook().withFolder(notebook().withNotebookOptions(config()), conf);

    String folder = job.asMap().get("tony.application.checkpoint-dir");
    assertTrue(folder, folder.matches("file:/.*/\\.tony/checkpoints/notebook-fraud"));
    assertEquals("always", job.asMap().get("tony.checkpoint.resume"));
    assertEquals("notebook", job.asMap().get("tony.checkpoint.roles"));
  }

  @Test
  public void shouldRefuseNamesThatNoFolderCanHave() {
    for (String name : List.of("", "a/b", "..", ".x", "a b", "x".repeat(65))) {
      InvalidJobException refused =
          assertThrows(InvalidJobException.class, () -> NotebookJob.create(name));
      assertTrue(
          refused.problems().toString(),
          refused.problems().get(0).startsWith("-name is '" + name + "'; it begins with"));
    }
  }
}
