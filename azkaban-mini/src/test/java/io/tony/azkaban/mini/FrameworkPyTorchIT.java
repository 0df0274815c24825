package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.testing.FlowFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.BeforeClass;
import org.junit.Test;

/** The real PyTorch, in ways that its sample flow does not show. */
public class FrameworkPyTorchIT extends ClusterFlowTest {

  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require("pytorch");
  }

  /** The lines of a job of two workers. */
  private static String[] pytorch(String... lines) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "src_dir=src",
                "tony.application.framework=pytorch",
                "tony.worker.instances=2",
                "tony.worker.memory=2g"));
    all.addAll(List.of(lines));
    return tony(all.toArray(String[]::new));
  }

  /** The same where each runs an agent of torchrun, which starts the program. */
  private static String[] torchrun(String program, String... lines) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "executes="
                    + FrameworkEnvironments.python("pytorch")
                    + " -m torch.distributed.run "
                    + program));
    all.addAll(List.of(lines));
    return pytorch(all.toArray(String[]::new));
  }

  private FlowResult train(FlowFolder files) throws Exception {
    FlowResult result = start(files.folder()).await();
    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    return result;
  }

  @Test
  public void shouldMeetByTonysOwnVariables() throws Exception {
    FlowFolder files =
        files()
            .job(
                "train",
                pytorch(
                    "executes=meet.py",
                    "python_binary_path=" + FrameworkEnvironments.python("pytorch")))
            .file(
                "src/meet.py",
                """
                import os

                import torch
                import torch.distributed as dist

                dist.init_process_group(
                    "gloo",
                    init_method=os.environ["INIT_METHOD"],
                    rank=int(os.environ["RANK"]),
                    world_size=int(os.environ["WORLD"]),
                )
                ranks = torch.tensor([dist.get_rank() + 1])
                dist.all_reduce(ranks)
                if dist.get_rank() == 0:
                    with open(os.environ["TONY_OUTPUT_FILE"], "w") as outputs:
                        outputs.write(f"ranks={ranks.item()}\\n")
                dist.barrier()
                """);

    FlowResult result = train(files);

    assertEquals("3", result.job("train").outputProperties().get("tony.output.ranks"));
  }

  /** The GPUs are none, and PyTorch trains on CPUs. */
  @Test
  public void shouldStartAProcessForEachGpuUnderTorchrun() throws Exception {
    FlowRequest.Builder sample =
        sample("gpus")
            .property("python", FrameworkEnvironments.python("pytorch"))
            .property("gpus", "2");

    FlowResult result = FlowEngine.run(sample.build());

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    Map<String, String> outputs = result.job("train").outputProperties();
    assertEquals("4", outputs.get("tony.output.processes"));
    assertEquals("2", outputs.get("tony.output.processes_per_container"));
    assertLogged("train", "asking for 2 × worker (3072 MiB, 1 vcore, 2 yarn.io/gpu)");
    assertLogged("report", "4 processes, 2 in each container, on CPU");
  }

  /** The agent that dies is not rank 0's, which holds the rendezvous. */
  @Test
  public void shouldGoOnUnderTorchrunWithoutAnAgentThatDies() throws Exception {
    FlowFolder files =
        files()
            .job(
                "train",
                torchrun(
                    "elastic.py",
                    "task_env.PET_NNODES=1:2",
                    "task_env.PET_MAX_RESTARTS=3",
                    "tony.application.fail-on-worker-failure-enabled=false"))
            .file(
                "src/elastic.py",
                """
                import os
                import signal

                import torch
                import torch.distributed as dist

                dist.init_process_group("gloo")
                world = dist.get_world_size()
                dist.all_reduce(torch.ones(1))
                if world == 2 and os.environ["TASK_INDEX"] == "1":
                    os.kill(os.getppid(), signal.SIGKILL)
                while world == 2:
                    dist.all_reduce(torch.ones(1))
                with open(os.environ["TONY_OUTPUT_FILE"], "w") as outputs:
                    outputs.write(f"world={world}\\n")
                """);

    FlowResult result = train(files);

    assertEquals("1", result.job("train").outputProperties().get("tony.output.world"));
    assertLogged("train", "1 of 2 tasks succeeded");
    assertEquals("one application", 1, applicationIds("train").size());
  }

  /** The agent of rank 0 runs on, and starts its program with as many ranks as there are. */
  @Test
  public void shouldLetAnAgentJoinAgainThatWasLostWithItsContainer() throws Exception {
    Path go = root().resolve("go");
    FlowFolder files =
        files()
            .job(
                "train",
                torchrun(
                    "joining.py",
                    "tony.worker.min-instances=1",
                    "tony.elastic.live-resize=true",
                    "tony.gang.max-lost-restarts=0",
                    "task_env.ROOT=" + root()))
            .file(
                "src/joining.py",
                """
                import os
                import time

                import torch
                import torch.distributed as dist

                root = os.environ["ROOT"]
                dist.init_process_group("gloo")
                with open(f"{root}/worlds-" + os.environ["TASK_INDEX"], "a") as worlds:
                    worlds.write(f"{dist.get_world_size()}\\n")
                done = torch.zeros(1)
                while done.item() < dist.get_world_size():
                    done = torch.tensor([float(os.path.exists(f"{root}/go"))])
                    dist.all_reduce(done)
                    time.sleep(0.1)
                """);
    FlowExecution execution = start(files.folder());
    await(execution, "a start with both", () -> trainedWithBoth() >= 1);
    await(execution, "that it is told", () -> Executors.starts(events, "worker:1") == 1);
    long before = trainedWithBoth();
    Executors.kill(events, "worker:1");
    await(execution, "another agent", () -> Executors.starts(events, "worker:1") == 2);
    await(execution, "another start with both", () -> trainedWithBoth() > before);
    Files.createFile(go);

    FlowResult result = execution.await();

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals("worker:0 was started once", 1, Executors.starts(events, "worker:0"));
    assertEquals(2, Executors.starts(events, "worker:1"));
    assertTrue(events.told("train").stream().noneMatch(e -> e.type().equals("GANG_RESTARTED")));
    assertEquals("one application", 1, applicationIds("train").size());
  }

  /** How often rank 0 has begun to train with both workers. */
  private long trainedWithBoth() throws IOException {
    Path worlds = root().resolve("worlds-0");
    return Files.exists(worlds)
        ? Files.readAllLines(worlds).stream().filter("2"::equals).count()
        : 0;
  }
}
