package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.testing.FlowFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.BeforeClass;
import org.junit.Test;

/** The real Ray, in a way that its sample flow does not show. */
public class FrameworkRayIT extends ClusterFlowTest {

  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require("ray");
  }

  /** The driver runs on, and has the node that comes instead of the one that was lost. */
  @Test
  public void shouldLetANodeJoinInsteadOfOneThatWasLostWithItsContainer() throws Exception {
    FlowFolder files =
        files()
            .job(
                "train",
                tony(
                    "src_dir=src",
                    "executes=joining.py",
                    "python_binary_path=" + FrameworkEnvironments.python("ray"),
                    "tony.application.framework=ray",
                    "tony.application.untracked.roles=worker",
                    "tony.chief.instances=1",
                    "tony.chief.memory=2g",
                    "tony.worker.instances=2",
                    "tony.worker.min-instances=1",
                    "tony.worker.memory=1536m",
                    "tony.elastic.live-resize=true",
                    "tony.gang.max-lost-restarts=0",
                    "task_env.ROOT=" + root()))
            .file(
                "src/joining.py",
                """
                import os
                import socket
                import subprocess
                import sys
                import time

                import ray

                ENV = os.environ
                RAY = [
                    os.path.join(os.path.dirname(sys.executable), "ray"),
                    "start",
                    f"--node-ip-address={ENV['RAY_NODE_IP_ADDRESS']}",
                    "--num-cpus=1",
                    "--object-store-memory=80000000",
                    "--block",
                ]


                def answers(host, port):
                    try:
                        socket.create_connection((host, int(port)), timeout=5).close()
                        return True
                    except OSError:
                        return False


                def nodes():
                    return {node["NodeID"] for node in ray.nodes() if node["Alive"]}


                def await_file(name):
                    while not os.path.exists(f"{ENV['ROOT']}/{name}"):
                        time.sleep(0.1)


                if ENV["IS_CHIEF"] != "true":
                    # On one machine, two that start together get into each other's way.
                    await_file("nodes-" + str(int(ENV["TASK_INDEX"]) + 1))
                    os.execv(RAY[0], [*RAY, f"--address={ENV['RAY_ADDRESS']}"])
                head = subprocess.Popen([*RAY, "--head", f"--port={ENV['RAY_PORT']}", "--include-dashboard=false"])
                while not answers(*ENV["RAY_ADDRESS"].rsplit(":", 1)):
                    assert head.poll() is None, "the head has ended"
                    time.sleep(0.2)
                ray.init(address=ENV["RAY_ADDRESS"], log_to_driver=False)
                for count in range(1, 4):
                    while len(nodes()) < count:
                        time.sleep(0.1)
                    open(f"{ENV['ROOT']}/nodes-{count}", "w").close()
                first = nodes()
                while len(nodes()) < 3 or nodes() == first:
                    time.sleep(0.1)
                ray.shutdown()
                head.terminate()
                head.wait()
                """);
    FlowExecution execution = start(files.folder());
    Path all = root().resolve("nodes-3");
    await(execution, "all nodes", () -> Files.exists(all));
    await(execution, "that it is told", () -> Executors.starts(events, "worker:1") == 1);
    Executors.kill(events, "worker:1");

    FlowResult result = execution.await();

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals(1, Executors.starts(events, "chief:0"));
    assertEquals(1, Executors.starts(events, "worker:0"));
    assertEquals(2, Executors.starts(events, "worker:1"));
    assertTrue(events.told("train").stream().noneMatch(e -> e.type().equals("GANG_RESTARTED")));
  }
}
