package io.tony.runtime;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public class TaskEnvironmentTest {
  private static final FrameworkRuntime STANDALONE = new StandaloneRuntime();

  private static Map<String, String> environment(
      JobSpec job, FrameworkRuntime runtime, String task) {
    return TaskEnvironment.of(
        runtime, Clusters.gang(job), TaskId.parse(task), "application_1_0001");
  }

  @Test
  public void shouldTellEveryTaskWhoItIs() {
    JobSpec job = job().role("ps", 1, Supervision.UNTRACKED).workers(2).spec();

    assertEquals(
        Map.of(
            "JOB_NAME", "worker",
            "TASK_INDEX", "1",
            "TASK_NUM", "2",
            "IS_CHIEF", "false",
            "SESSION_ID", "2",
            "DISTRIBUTED_MODE", "GANG",
            "APPID", "application_1_0001",
            "JOB_ID", "application_1_0001",
            "CLUSTER_SPEC",
                "{\"ps\":[\"ps-0.example.com:5000\"],"
                    + "\"worker\":[\"worker-0.example.com:5000\",\"worker-1.example.com:5001\"]}"),
        environment(job, STANDALONE, "worker:1"));
    assertEquals("true", environment(job, STANDALONE, "worker:0").get("IS_CHIEF"));
    assertEquals("false", environment(job, STANDALONE, "ps:0").get("IS_CHIEF"));
  }

  /** As in TonY: all tasks that the job waits for, whatever the task's own role. */
  @Test
  public void shouldCountTheTrackedTasksOfAllRoles() {
    JobSpec job =
        job()
            .role("chief", 1, Supervision.TRACKED)
            .role("ps", 3, Supervision.UNTRACKED)
            .workers(2)
            .spec();

    assertEquals("3", environment(job, STANDALONE, "chief:0").get("TASK_NUM"));
    assertEquals("3", environment(job, STANDALONE, "worker:1").get("TASK_NUM"));
    assertEquals("3", environment(job, STANDALONE, "ps:2").get("TASK_NUM"));
  }

  @Test
  public void shouldCountTheRolesThatAreThereAtTheSameTimeWhereTasksDoNotWaitForEachOther() {
    JobSpec job =
        job()
            .role("prepare", 1, Supervision.TRACKED)
            .role("split", 2, Supervision.TRACKED)
            .after("prepare")
            .workers(4)
            .after("split")
            .firstComeFirstServed()
            .spec();

    assertEquals("1", environment(job, STANDALONE, "prepare:0").get("TASK_NUM"));
    assertEquals("2", environment(job, STANDALONE, "split:0").get("TASK_NUM"));
    assertEquals("4", environment(job, STANDALONE, "worker:0").get("TASK_NUM"));
  }

  @Test
  public void shouldLetTheRoleOverrideTheJobAndTheFrameworkBoth() {
    JobSpec job =
        job()
            .env("SHARED", "of the job")
            .env("ONLY_JOB", "$HOME `id` \"x\"\n;")
            .env("RANK", "of the job")
            .env("TASK_INDEX", "of the job")
            .role(
                "worker",
                1,
                Supervision.TRACKED,
                Map.of("SHARED", "of the role", "JOB_NAME", "of the role"))
            .spec();

    Map<String, String> environment = environment(job, new PyTorchRuntime(), "worker:0");

    assertEquals("of the role", environment.get("SHARED"));
    assertEquals("$HOME `id` \"x\"\n;", environment.get("ONLY_JOB"));
    assertEquals("0", environment.get("RANK"));
    assertEquals("0", environment.get("TASK_INDEX"));
    assertEquals("worker", environment.get("JOB_NAME"));
  }

  @Test
  public void shouldShowNoClusterToTasksThatAreServedAsTheyCome() {
    JobSpec job = job().workers(2).firstComeFirstServed().spec();
    TaskId second = new TaskId("worker", 1);
    ClusterSpec self = new ClusterSpec(Map.of("worker", List.of(new Endpoint("h", 1))));

    Optional<StoreAddress> store = Optional.of(new StoreAddress(new Endpoint("am", 2), "secret"));
    for (String name : Runtimes.load().names()) {
      FrameworkRuntime runtime = Runtimes.load().find(name).orElseThrow();
      Map<String, String> environment =
          TaskEnvironment.of(runtime, new Gang(job, self, 0, store), second, "application_1_0001");
      assertFalse(name, environment.containsKey("CLUSTER_SPEC"));
      assertEquals(name, "FCFS", environment.get("DISTRIBUTED_MODE"));
      assertEquals(name, "2", environment.get("TASK_NUM"));
    }
  }

  /** Linux takes no variable above 128 KiB. */
  @Test
  public void shouldNotTellAClusterThatNoVariableHolds() {
    int most = TaskEnvironment.MAX_TASKS_IN_VARIABLE;
    JobSpec large = job().workers(most).spec();
    JobSpec larger = job().workers(most + 1).spec();

    String spec = environment(large, STANDALONE, "worker:0").get("CLUSTER_SPEC");
    assertTrue("" + spec.length(), spec.length() < 128 * 1024);
    assertFalse(environment(larger, STANDALONE, "worker:0").containsKey("CLUSTER_SPEC"));
    assertEquals(List.of(), new TensorFlowRuntime().problems(large));
    List<String> problems = new TensorFlowRuntime().problems(larger);
    assertTrue(problems.toString(), problems.get(0).contains("the job has " + (most + 1)));
    assertEquals(List.of(), new PyTorchRuntime().problems(larger));
  }

  @Test
  public void shouldFindTheFrameworksOfThisVersion() {
    Runtimes runtimes = Runtimes.load();

    assertEquals(
        Set.of(
            "generic",
            "horovod",
            "jax",
            "lightgbm",
            "mpi",
            "mxnet",
            "pytorch",
            "ray",
            "standalone",
            "tensorflow",
            "xgboost"),
        runtimes.names());
    assertEquals(TensorFlowRuntime.class, runtimes.find("TensorFlow").orElseThrow().getClass());
    assertEquals(Optional.empty(), runtimes.find("caffe"));
  }
}
