package io.tony.runtime;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/**
 * The variables of the frameworks whose processes are numbered. That the names are right is shown
 * by the real packages, in the flows of {@code FrameworksIT}.
 */
public class RankedRuntimesTest {
  private static final List<String> RANKED =
      List.of("horovod", "jax", "lightgbm", "mpi", "pytorch", "xgboost");

  private static final JobSpec JOB =
      job()
          .workers(2)
          .role("ps", 1, Supervision.UNTRACKED)
          .role("chief", 1, Supervision.TRACKED)
          .role("board", 1, Supervision.SIDECAR)
          .spec();

  private static FrameworkRuntime runtime(String name) {
    return Runtimes.load().find(name).orElseThrow();
  }

  private static Map<String, String> environment(String framework, String task) {
    return runtime(framework).environment(Clusters.gang(JOB), TaskId.parse(task));
  }

  @Test
  public void shouldTellJaxItsCoordinator() {
    assertEquals(
        Map.of(
            "JAX_COORDINATOR_ADDRESS", "chief-0.example.com:5000",
            "JAX_NUM_PROCESSES", "3",
            "JAX_PROCESS_ID", "2"),
        environment("jax", "worker:1"));
  }

  @Test
  public void shouldTellXgboostItsTracker() {
    assertEquals(
        Map.of(
            "DMLC_TRACKER_URI", "chief-0.example.com",
            "DMLC_TRACKER_PORT", "5000",
            "DMLC_TASK_ID", "000002",
            "DMLC_NUM_WORKER", "3",
            "RANK", "2"),
        environment("xgboost", "worker:1"));
  }

  @Test
  public void shouldTellLightGbmItsMachines() {
    assertEquals(
        Map.of(
            "LIGHTGBM_MACHINES",
                "chief-0.example.com:5000,worker-0.example.com:5000,worker-1.example.com:5001",
            "LIGHTGBM_NUM_MACHINES", "3",
            "LIGHTGBM_LOCAL_LISTEN_PORT", "5001",
            "RANK", "2"),
        environment("lightgbm", "worker:1"));
  }

  @Test
  public void shouldTellHorovodWhereItsWorkersMeet() {
    assertEquals(StoreProtocol.OPEN_HTTP, runtime("horovod").store());
    Map<String, String> environment = environment("horovod", "worker:1");

    assertEquals("am.example.com", environment.get("HOROVOD_GLOO_RENDEZVOUS_ADDR"));
    assertEquals("7000", environment.get("HOROVOD_GLOO_RENDEZVOUS_PORT"));
    assertEquals("gloo", environment.get("HOROVOD_CONTROLLER"));
    assertEquals("gloo", environment.get("HOROVOD_CPU_OPERATIONS"));
    assertEquals("2 of 3", of(environment, "HOROVOD_RANK", "HOROVOD_SIZE"));
    assertEquals("0 of 1", of(environment, "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE"));
    assertEquals("2 of 3", of(environment, "HOROVOD_CROSS_RANK", "HOROVOD_CROSS_SIZE"));
    assertEquals("worker-1", environment.get("HOROVOD_HOSTNAME"));
    assertEquals("2000", environment.get("HOROVOD_GLOO_TIMEOUT_SECONDS"));
  }

  private static String of(Map<String, String> environment, String rank, String size) {
    return environment.get(rank) + " of " + environment.get(size);
  }

  @Test
  public void shouldTellMpiItsProcessManager() {
    assertEquals(StoreProtocol.PMI, runtime("mpi").store());
    assertEquals(
        Map.of("PMI_PORT", "am.example.com:7000", "PMI_ID", "2"), environment("mpi", "worker:1"));
  }

  @Test
  public void shouldTellRayItsHead() {
    assertEquals(
        Map.of(
            "RAY_ADDRESS", "chief-0.example.com:5000",
            "RAY_PORT", "5000",
            "RAY_NODE_IP_ADDRESS", "ps-0.example.com",
            "RAY_NODES", "4"),
        environment("ray", "ps:0"));
    assertEquals(Map.of(), environment("ray", "board:0"));
  }

  @Test
  public void shouldGiveEveryTaskTheStoreAndTrackedOnesARank() {
    assertEquals(StoreProtocol.HTTP, runtime("generic").store());
    assertEquals(
        Map.of(
            "TONY_STORE_URL", "http://am.example.com:7000",
            "TONY_STORE_TOKEN", "secret",
            "RANK", "2",
            "WORLD_SIZE", "3",
            "MASTER_ADDR", "chief-0.example.com",
            "MASTER_PORT", "5000"),
        environment("generic", "worker:1"));
    assertEquals(
        Map.of("TONY_STORE_URL", "http://am.example.com:7000", "TONY_STORE_TOKEN", "secret"),
        environment("generic", "board:0"));
  }

  @Test
  public void shouldTellNothingToTasksWithoutARank() {
    for (String framework : RANKED) {
      assertEquals(framework, Map.of(), environment(framework, "ps:0"));
      assertEquals(framework, Map.of(), environment(framework, "board:0"));
    }
  }

  @Test
  public void shouldRefuseAFirstTaskWithoutARank() {
    JobSpec untracked =
        job().role("worker", 2, Supervision.UNTRACKED).role("eval", 1, Supervision.TRACKED).spec();
    for (String framework : RANKED) {
      List<String> problems = runtime(framework).problems(untracked);
      assertEquals(framework, 1, problems.size());
      assertTrue(problems.get(0), problems.get(0).startsWith(framework + " needs a tracked task"));
      assertEquals(framework, List.of(), runtime(framework).problems(JOB));
    }
  }

  @Test
  public void shouldRefuseMoreMachinesThanAVariableHolds() {
    JobSpec larger = SampleJob.job().workers(LightGbmRuntime.MAX_MACHINES + 1).spec();

    List<String> problems = runtime("lightgbm").problems(larger);

    assertTrue(problems.toString(), problems.get(0).contains("the job has 2001"));
  }

  @Test
  public void shouldTellMxNetItsScheduler() {
    JobSpec job =
        job()
            .role("scheduler", 1, Supervision.UNTRACKED)
            .role("server", 2, Supervision.UNTRACKED)
            .workers(3)
            .role("board", 1, Supervision.SIDECAR)
            .spec();
    FrameworkRuntime mxnet = runtime("mxnet");

    assertEquals(List.of(), mxnet.problems(job));
    assertEquals(
        Map.of(
            "DMLC_ROLE", "server",
            "DMLC_PS_ROOT_URI", "scheduler-0.example.com",
            "DMLC_PS_ROOT_PORT", "5000",
            "DMLC_NUM_SERVER", "2",
            "DMLC_NUM_WORKER", "3",
            "DMLC_USE_KUBERNETES", "1"),
        mxnet.environment(Clusters.gang(job), TaskId.parse("server:1")));
    assertEquals(Map.of(), mxnet.environment(Clusters.gang(job), TaskId.parse("board:0")));
    assertEquals(
        List.of(
            "mxnet needs exactly one scheduler, the job has 0: set tony.scheduler.instances=1",
            "mxnet needs a role server: set tony.server.instances"),
        mxnet.problems(job().workers(1).spec()));
  }
}
