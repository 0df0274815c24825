package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import java.util.Map;
import org.junit.BeforeClass;
import org.junit.Test;

/** TensorFlow goes on from its checkpoint when one of its workers has been killed. */
public class FrameworkResumeIT extends ClusterFlowTest {
  /** So many that the kill comes in time: they take a good while on a fast machine, too. */
  private static final int STEPS = 2_000;

  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require("tensorflow");
  }

  @Test
  public void shouldGoOnFromItsCheckpointWhenAWorkerIsKilled() throws Exception {
    FlowExecution execution =
        start(
            sample("tensorflow")
                .property("python", FrameworkEnvironments.python("tensorflow"))
                .property("checkpoint.dir", root().resolve("checkpoints").toString())
                .property("steps", Integer.toString(STEPS)));
    events.awaitLine("train", "worker:0: step ");

    killProgram("mirrored.py");

    FlowResult result = execution.await();
    assertEquals(log("train"), Status.SUCCEEDED, result.job("train").status());
    assertEquals("one application", 1, applicationIds("train").size());
    Map<String, String> outputs = result.job("train").outputProperties();
    int first = Integer.parseInt(outputs.get("tony.output.first_step"));
    assertTrue("the last gang began at step " + first, first > 0 && first < STEPS);
    assertEquals("2", outputs.get("tony.output.replicas"));
    double accuracy = Double.parseDouble(outputs.get("tony.output.accuracy"));
    assertTrue("accuracy " + accuracy, accuracy > 0.9);
    assertEquals(log("parameter-server"), Status.SUCCEEDED, result.status());
  }
}
