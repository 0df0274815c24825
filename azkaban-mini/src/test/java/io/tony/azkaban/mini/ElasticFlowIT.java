package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;

import azkaban.executor.Status;
import java.util.List;
import org.junit.Test;

/** The sample flow {@code elastic}, for which the cluster has less room than it wants. */
public class ElasticFlowIT extends ClusterFlowTest {

  @Test
  public void shouldTrainWithAsManyTasksAsThereIsRoomFor() throws Exception {
    FlowResult result = FlowEngine.run(sample("elastic").build());

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals("SUCCEEDED", application("train").finalStatus());
    assertEquals("3", result.job("train").outputProperties().get("tony.output.tasks"));
    assertLogged("report", "trained with 3 of 5 workers, to step 40");
    assertEquals(
        List.of("5 3"),
        events.told("train").stream()
            .filter(event -> event.type().equals("GANG_RESIZED"))
            .map(event -> event.detail("from") + " " + event.detail("instances"))
            .toList());
  }
}
