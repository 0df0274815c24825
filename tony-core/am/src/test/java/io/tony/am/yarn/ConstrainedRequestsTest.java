package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.RoleSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What a ResourceManager is asked for whose placement processor rejects requests. */
public class ConstrainedRequestsTest {
  private final GrantingYarn yarn = new GrantingYarn();
  private ConstrainedRequests asks;
  private RoleSpec role;

  @Before
  public void start() throws Exception {
    yarn.init(new Configuration());
    yarn.start();
    yarn.registerApplicationMaster("here", 1, "N/A");
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    "tony.worker.instances", "9",
                    "tony.worker.memory", "1g",
                    "tony.application.executes", "true"))
            .build();
    role = JobSpecReader.read(config, new Problems()).orElseThrow().role("worker");
    asks = new ConstrainedRequests(role, GrantingYarn.PRIORITY, Optional.empty(), yarn);
    yarn.onResync(asks::onResync);
  }

  @After
  public void stop() {
    yarn.stop();
  }

  private void call() throws Exception {
    AllocateResponse response = yarn.allocate(0);
    response.getAllocatedContainers().forEach(asks::onAllocated);
    response.getRejectedSchedulingRequests().forEach(asks::onRejected);
  }

  @Test
  public void shouldAskAgainForWhatIsRejectedAndForNoMoreOfAnotherResourceManager()
      throws Exception {
    asks.add(role, 2);
    call();
    for (int round = 0; round < 2_000; round++) {
      List<Long> busy = yarn.numbers();
      assertEquals(2, busy.size());
      busy.forEach(yarn::reject);
      call(); // tells of it
      call(); // asks again
    }

    yarn.restart();
    call();

    assertEquals(2, asks.pendingCount());
    assertEquals(2, yarn.open());
    assertEquals(2, yarn.sent());
    yarn.numbers().forEach(yarn::grant);
    call();
    assertEquals(0, asks.pendingCount());
  }

  @Test
  public void shouldAskAnotherResourceManagerForNothingThatWasWithdrawn() throws Exception {
    asks.add(role, 3);
    call();
    yarn.grant(yarn.numbers().get(2));
    call();
    asks.withdraw(1);
    call();
    assertEquals(1, yarn.open());

    yarn.restart();
    call();

    assertEquals(1, asks.pendingCount());
    assertEquals(1, yarn.open());
    assertEquals("what was withdrawn is not said again", 1, yarn.sent());
  }

  @Test
  public void shouldNotAskForWhatIsTakenBackBeforeItWasAskedFor() throws Exception {
    asks.add(role, 2);
    asks.withdraw(2);
    call();

    assertEquals(0, yarn.open());
    assertTrue(yarn.numbers().isEmpty());
  }
}
