package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;

import azkaban.executor.Status;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The sample flow {@code resume}, whose program dies once after its fourth checkpoint. */
public class ResumeFlowIT extends ClusterFlowTest {

  @Test
  public void shouldGoOnFromTheCheckpointThatTheProgramNamedBeforeItDied() throws Exception {
    FlowResult result = FlowEngine.run(sample("resume").build());

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals("SUCCEEDED", application("train").finalStatus());
    Map<String, String> outputs = result.job("train").outputProperties();
    assertEquals("40", outputs.get("tony.output.first_step"));
    assertEquals("5050", outputs.get("tony.output.sum"));
    assertLogged("train", "dies at step 47");
    assertLogged("train", "resumes from step 40");
    assertLogged("report", "the sum is 5050: the second start went on from step 40");
    assertEquals(
        List.of("40"),
        events.told("train").stream()
            .filter(event -> event.type().equals("GANG_RESUMES"))
            .map(event -> event.detail("number"))
            .toList());
  }
}
