package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.RoleSpec;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.Resource;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What a ResourceManager grants that counts as YARN's do, and grants while nobody calls it. */
public class CountedRequestsTest {
  private final GrantingYarn yarn = new GrantingYarn();
  private CountedRequests asks;
  private RoleSpec role;

  @Before
  public void start() throws Exception {
    yarn.init(new Configuration());
    yarn.start();
    yarn.registerApplicationMaster("here", 1, "N/A");
    role = roleOf("1g");
    asks = new CountedRequests(role, GrantingYarn.PRIORITY, yarn);
    yarn.onResync(asks::onResync);
  }

  @After
  public void stop() {
    yarn.stop();
  }

  private static RoleSpec roleOf(String memory) {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    "tony.worker.instances", "9",
                    "tony.worker.memory", memory,
                    "tony.application.executes", "true"))
            .build();
    return JobSpecReader.read(config, new Problems()).orElseThrow().role("worker");
  }

  /** One call of the ApplicationMaster's; returns how many containers came. */
  private int call() throws Exception {
    List<Container> came = yarn.allocate(0).getAllocatedContainers();
    came.forEach(asks::onAllocated);
    return came.size();
  }

  private int total(RoleSpec asked) {
    return yarn.open(size(asked));
  }

  private static Resource size(RoleSpec asked) {
    return Resource.newInstance(asked.resource().memoryMiB(), asked.resource().vcores());
  }

  @Test
  public void shouldNotAskAgainForWhatIsGrantedBetweenTwoCalls() throws Exception {
    asks.add(role, 3);
    call();
    for (int i = 0; i < 3; i++) {
      yarn.grant(1, size(role));
      call();
      yarn.grant(1, size(role)); // and the ApplicationMaster calls before it knows of this one
    }

    assertEquals(3, yarn.containers());
    assertEquals(0, asks.pendingCount());
    assertEquals(0, total(role));
  }

  @Test
  public void shouldAskForMoreThanIsPendingOnly() throws Exception {
    asks.add(role, 3);
    call();
    yarn.grant(2, size(role));
    call();
    asks.add(role, 1);
    call();

    assertEquals(2, asks.pendingCount());
    assertEquals(2, total(role));
  }

  @Test
  public void shouldTakeBackWhatIsPendingOnly() throws Exception {
    asks.add(role, 4);
    call();
    yarn.grant(1, size(role));
    call();
    asks.withdraw(1);
    call();
    assertEquals(2, total(role));

    asks.withdraw(9);
    call();
    assertEquals(0, asks.pendingCount());
    assertEquals(0, total(role));
  }

  @Test
  public void shouldWantNoMoreThanItHasWhenItsLastChangeCameLate() throws Exception {
    asks.add(role, 2);
    call();
    yarn.grant(1, size(role));
    asks.withdraw(1); // of one that is granted already
    assertEquals(1, call());
    assertEquals(0, asks.pendingCount());
    call();

    assertEquals(0, total(role));
  }

  @Test
  public void shouldAskAnewForAllThatIsPendingWhereTheRoleHasGrown() throws Exception {
    asks.add(role, 3);
    call();
    yarn.grant(1, size(role));
    call();
    yarn.grant(1, size(role));
    RoleSpec grown = roleOf("2g");
    asks.add(grown, 2);
    assertEquals("too small", 1, call());
    assertEquals(2, asks.pendingCount());
    call();

    assertEquals(0, total(role));
    assertEquals(2, total(grown));
  }

  /** Of which YARN's client was not told that they are there. */
  @Test
  public void shouldAskAnotherResourceManagerForWhatIsPendingOnly() throws Exception {
    asks.add(role, 100);
    call();
    yarn.grant(99, size(role));
    assertEquals(99, call());

    yarn.restart();
    call();

    assertEquals(1, asks.pendingCount());
    assertEquals(1, total(role));
  }
}
