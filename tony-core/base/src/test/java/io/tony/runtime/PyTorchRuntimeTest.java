package io.tony.runtime;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** What torch.distributed reads with init_method env://, and what torchrun sets beside it. */
public class PyTorchRuntimeTest {
  private static final PyTorchRuntime RUNTIME = new PyTorchRuntime();

  private static Map<String, String> environment(JobSpec job, String task) {
    return RUNTIME.environment(Clusters.gang(job), TaskId.parse(task));
  }

  @Test
  public void shouldTellATaskItsRankAndTheMaster() {
    JobSpec job = job().workers(3).spec();

    Map<String, String> environment = new TreeMap<>(environment(job, "worker:2"));
    environment.keySet().removeIf(name -> name.startsWith("PET_"));
    assertEquals(
        Map.of(
            "MASTER_ADDR", "worker-0.example.com",
            "MASTER_PORT", "5000",
            "RANK", "2",
            "NODE_RANK", "2",
            "WORLD_SIZE", "3",
            "LOCAL_RANK", "0",
            "LOCAL_WORLD_SIZE", "1",
            "INIT_METHOD", "tcp://worker-0.example.com:5000",
            "WORLD", "3"),
        environment);
  }

  /** torchrun reads each of its options from the environment, under the prefix PET_. */
  @Test
  public void shouldGiveTorchrunItsOptions() {
    JobSpec job = job().workers(3).spec();

    Map<String, String> environment = new TreeMap<>(environment(job, "worker:2"));
    environment.keySet().removeIf(name -> !name.startsWith("PET_"));
    assertEquals(
        Map.of(
            "PET_NNODES", "3",
            "PET_NPROC_PER_NODE", "1",
            "PET_RDZV_BACKEND", "c10d",
            "PET_RDZV_ENDPOINT", "worker-0.example.com:5000",
            "PET_RDZV_ID", "sample-2",
            "PET_RDZV_CONF", "is_host=0",
            "PET_LOCAL_ADDR", "worker-2.example.com"),
        environment);
    assertEquals("is_host=1", environment(job, "worker:0").get("PET_RDZV_CONF"));
  }

  @Test
  public void shouldTellTorchrunThatAgentsMayJoin() {
    JobSpec job =
        job().workers(3).least(2).role("evaluator", 1, Supervision.TRACKED).joining().spec();

    Map<String, String> environment = environment(job, "worker:2");

    assertEquals("3:4", environment.get("PET_NNODES"));
    assertEquals("is_host=0,last_call_timeout=5", environment.get("PET_RDZV_CONF"));
    assertEquals("10", environment.get("PET_MAX_RESTARTS"));
    assertEquals("1", environment.get("TORCH_DISABLE_SHARE_RDZV_TCP_STORE"));
  }

  @Test
  public void shouldStartOneProcessForEachGpuThatTheProgramsSee() {
    SampleJob job = job().workers(2).gpus(4);

    assertEquals("4", environment(job.spec(), "worker:1").get("PET_NPROC_PER_NODE"));
    job.env("CUDA_VISIBLE_DEVICES", "0,2");
    assertEquals("2", environment(job.spec(), "worker:1").get("PET_NPROC_PER_NODE"));
    job.env("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7");
    assertEquals("4", environment(job.spec(), "worker:1").get("PET_NPROC_PER_NODE"));
    JobSpec none = job().workers(2).env("CUDA_VISIBLE_DEVICES", "0,1").spec();
    assertEquals("1", environment(none, "worker:1").get("PET_NPROC_PER_NODE"));
  }

  @Test
  public void shouldLeaveToTheUserWhatTheUserToldTorchrun() {
    JobSpec job =
        job()
            .env("PET_NNODES", "2:4")
            .role("worker", 4, Supervision.TRACKED, Map.of("PET_NPROC_PER_NODE", "2"))
            .spec();

    Map<String, String> environment =
        TaskEnvironment.of(RUNTIME, Clusters.gang(job), TaskId.parse("worker:3"), "application_1");

    assertEquals("2:4", environment.get("PET_NNODES"));
    assertEquals("2", environment.get("PET_NPROC_PER_NODE"));
    assertEquals("c10d", environment.get("PET_RDZV_BACKEND"));
  }

  @Test
  public void shouldCountOnlyThoseWhoAreStillThere() {
    JobSpec job = job().workers(3).role("evaluator", 2, Supervision.TRACKED).spec();

    Map<String, String> environment =
        RUNTIME.environment(Clusters.without(job, "worker"), TaskId.parse("evaluator:1"));

    assertEquals("1", environment.get("RANK"));
    assertEquals("2", environment.get("WORLD_SIZE"));
    assertEquals("evaluator-0.example.com", environment.get("MASTER_ADDR"));
  }

  @Test
  public void shouldGiveEveryTrackedTaskOneRankFromTheChiefOn() {
    JobSpec job =
        job()
            .role("evaluator", 1, Supervision.TRACKED)
            .role("ps", 2, Supervision.UNTRACKED)
            .workers(2)
            .role("master", 1, Supervision.TRACKED)
            .role("tensorboard", 1, Supervision.SIDECAR)
            .spec();

    List<String> ranks = new ArrayList<>();
    for (String task : List.of("master:0", "evaluator:0", "worker:0", "worker:1")) {
      Map<String, String> environment = environment(job, task);
      ranks.add(environment.get("RANK"));
      assertEquals("4", environment.get("WORLD_SIZE"));
      assertEquals("master-0.example.com", environment.get("MASTER_ADDR"));
    }
    assertEquals(List.of("0", "1", "2", "3"), ranks);
    assertEquals(Map.of(), environment(job, "ps:1"));
    assertEquals(Map.of(), environment(job, "tensorboard:0"));
  }

  @Test
  public void shouldRefuseAMasterThatIsNotTracked() {
    JobSpec job =
        job().role("worker", 2, Supervision.UNTRACKED).role("eval", 1, Supervision.TRACKED).spec();

    assertEquals(
        List.of(
            "pytorch needs a tracked task as its master, but worker is not tracked: take it off"
                + " tony.application.untracked.roles and tony.application.sidecar.roles"),
        RUNTIME.problems(job));
    assertEquals(List.of(), RUNTIME.problems(job().workers(1).spec()));
  }
}
