package io.tony.runtime;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What torch.distributed reads with init_method env://, and what torchrun sets beside it. */
public class PyTorchRuntimeTest {
  private static final PyTorchRuntime RUNTIME = new PyTorchRuntime();

  private static Map<String, String> environment(JobSpec job, String task) {
    return RUNTIME.environment(job, Clusters.of(job), TaskId.parse(task));
  }

  @Test
  public void shouldTellATaskItsRankAndTheMaster() {
    JobSpec job = job().workers(3).spec();

    assertEquals(
        Map.of(
            "MASTER_ADDR", "worker-0.example.com",
            "MASTER_PORT", "5000",
            "RANK", "2",
            "WORLD_SIZE", "3",
            "LOCAL_RANK", "0",
            "LOCAL_WORLD_SIZE", "1",
            "INIT_METHOD", "tcp://worker-0.example.com:5000",
            "WORLD", "3"),
        environment(job, "worker:2"));
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
                + " tony.application.untracked.jobtypes and tony.application.sidecar.jobtypes"),
        RUNTIME.problems(job));
    assertEquals(List.of(), RUNTIME.problems(job().workers(1).spec()));
  }
}
