package io.tony.config.job;

import static org.junit.Assert.assertEquals;

import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What {@code tony.application.tensorboard-log-dir} makes of a job. */
public class SidecarTensorBoardTest {
  private static final String LOG_DIR = "tony.application.tensorboard-log-dir";
  private static final String RUN =
      " -m tensorboard.main --logdir \"$TB_LOG_DIR\" --port \"$TB_PORT\" --bind_all"
          + " & trap 'kill -KILL $!' TERM; wait $!";

  private final Problems problems = new Problems();

  /** Two workers that run train.py, and a folder to show. */
  private JobSpec job(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "tony.worker.instances",
                "2",
                "tony.application.executes",
                "train.py",
                LOG_DIR,
                "/logs/run"));
    all.addAll(List.of(more));
    return JobSpecReader.readLeniently(
        JobSpecReaderTest.config(all.toArray(String[]::new)), problems);
  }

  private static List<String> names(JobSpec job) {
    return job.roles().stream().map(RoleSpec::name).toList();
  }

  private void assertNoProblem() {
    assertEquals(List.of(), problems.errors());
    assertEquals(List.of(), problems.warnings());
  }

  @Test
  public void shouldRunTensorBoardBesideTheJob() {
    JobSpec job = job("tony.tensorboard.memory", "512m", "tony.tensorboard.env.X", "1");

    assertEquals(List.of("worker", "tensorboard"), names(job));
    RoleSpec board = job.role("tensorboard");
    assertEquals(1, board.instances());
    assertEquals(new ResourceSpec(512, 1), board.resource());
    assertEquals(Map.of("X", "1"), board.env());
    assertEquals(Supervision.SIDECAR, board.supervision());
    assertEquals("python3" + RUN, board.command());
    assertEquals(new TaskId("tensorboard", 0), job.tensorBoardHost());
    assertEquals("train.py", job.role("worker").command());
    assertNoProblem();
  }

  @Test
  public void shouldRunItInThePythonEnvironmentOfTheTasks() {
    assertEquals(
        "/envs/bin/python" + RUN,
        job("tony.application.python-binary-path", "/envs/bin/python")
            .role("tensorboard")
            .command());
    assertEquals(
        "venv/bin/python" + RUN,
        job("tony.application.python-venv", "env.tar.gz").role("tensorboard").command());
    assertEquals(
        "venv/env/bin/python" + RUN,
        job(
                "tony.application.python-venv", "env.tar.gz",
                "tony.application.python-binary-path", "env/bin/python")
            .role("tensorboard")
            .command());
    assertNoProblem();
  }

  @Test
  public void shouldHandTheFolderOnAsItIs() {
    String odd = "/logs/it's $(touch x) \"1\"; `id`";

    JobSpec job = job(LOG_DIR, odd, "tony.execution.env.TB_LOG_DIR", "/other");

    assertEquals(odd, job.env().get("TB_LOG_DIR"));
    assertEquals("python3" + RUN, job.role("tensorboard").command());
  }

  @Test
  public void shouldLetTheJobHaveItsOwnTensorBoard() {
    assertEquals(
        "board.sh", job("tony.tensorboard.command", "board.sh").role("tensorboard").command());
    assertEquals(
        "python3" + RUN,
        job("tony.tensorboard.instances", "1", "tony.containers.command", "all.sh")
            .role("tensorboard")
            .command());
    assertNoProblem();
  }

  @Test
  public void shouldWantAnImageWhereTheTasksRunInDocker() {
    job("tony.docker.enabled", "true", "tony.docker.worker.image", "torch");

    assertEquals(
        List.of(
            "tony.docker.enabled=true (job), and role tensorboard has no image: set"
                + " tony.docker.tensorboard.image or tony.docker.containers.image"),
        problems.errors());
  }

  @Test
  public void shouldTurnItOff() {
    assertEquals(List.of("worker"), names(job("tony.tensorboard.instances", "0")));
    assertEquals(List.of("worker"), names(job(LOG_DIR, " ")));
  }

  @Test
  public void shouldBeASidecarWhateverElseIs() {
    assertEquals(
        Supervision.SIDECAR,
        job("tony.application.sidecar.roles", "").role("tensorboard").supervision());
    assertEquals(
        Supervision.UNTRACKED,
        job("tony.application.untracked.roles", "tensorboard").role("tensorboard").supervision());
    assertNoProblem();
  }

  @Test
  public void shouldStandBesideAJobThatIsOneTask() {
    JobSpec job = job("tony.worker.instances", "0");

    assertEquals(List.of("worker", "tensorboard"), names(job));
    assertEquals(new TaskId("worker", 0), job.chief());
    assertEquals(List.of(), problems.errors());
  }

  @Test
  public void shouldStandBesideAJobWithoutRoles() {
    Problems found = new Problems();
    JobSpec job =
        JobSpecReader.readLeniently(
            JobSpecReaderTest.config(LOG_DIR, "/logs", "tony.application.executes", "x"), found);

    assertEquals(List.of(), found.errors());
    assertEquals(List.of("worker", "tensorboard"), names(job));
  }

  @Test
  public void shouldNotBeWaitedForByAStage() {
    assertEquals(
        "[]", job("tony.application.training-stage", "worker").role("worker").dependsOn() + "");
    assertNoProblem();
  }

  @Test
  public void shouldWarnOfAFolderThatOnlyTensorBoardSees() {
    job(LOG_DIR, "logs");

    assertEquals(
        List.of(
            LOG_DIR
                + "=logs (job) lies in each task's own working directory, so that TensorBoard does"
                + " not see what the other tasks write: name a folder that all nodes see"),
        problems.warnings());
    job(LOG_DIR, "hdfs:///logs");
    assertEquals(1, problems.warnings().size());
  }
}
