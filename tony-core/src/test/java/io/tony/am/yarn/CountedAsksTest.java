package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What a ResourceManager grants that counts as YARN's do, and grants while nobody calls it. */
public class CountedAsksTest {
  private static final Priority PRIORITY = Priority.newInstance(1);

  private final CountingYarn yarn = new CountingYarn();
  private CountedAsks asks;
  private RoleSpec role;

  /** YARN's own client, and what it talks to: a total for each size, which a grant lowers. */
  private static final class CountingYarn extends AMRMClientImpl<ContainerRequest>
      implements ApplicationMasterProtocol {
    private final Map<Resource, Integer> totals = new HashMap<>();
    private final List<Container> granted = new ArrayList<>();
    private int containers;

    @Override
    protected void serviceStart() {
      rmClient = this;
    }

    @Override
    protected void serviceStop() {}

    /** The heartbeat of a node with room for so many. */
    void grant(int count, Resource size) {
      for (int i = 0; i < count && totals.getOrDefault(size, 0) > 0; i++) {
        totals.merge(size, -1, Integer::sum);
        containers++;
        granted.add(
            Container.newInstance(
                ContainerId.fromString("container_1700000000000_0001_01_00000" + containers),
                NodeId.newInstance("node", 1),
                "node:2",
                size,
                PRIORITY,
                null));
      }
    }

    @Override
    public AllocateResponse allocate(AllocateRequest request) {
      request.getAskList().forEach(ask -> totals.put(ask.getCapability(), ask.getNumContainers()));
      List<Container> told = List.copyOf(granted);
      granted.clear();
      return AllocateResponse.newBuilder()
          .allocatedContainers(told)
          .completedContainersStatuses(List.of())
          .nmTokens(List.of())
          .build();
    }

    @Override
    public RegisterApplicationMasterResponse registerApplicationMaster(
        RegisterApplicationMasterRequest request) {
      throw new AssertionError("is not tested here");
    }

    @Override
    public FinishApplicationMasterResponse finishApplicationMaster(
        FinishApplicationMasterRequest request) {
      throw new AssertionError("is not tested here");
    }
  }

  @Before
  public void start() {
    yarn.init(new Configuration());
    yarn.start();
    role = roleOf("1g");
    asks = new CountedAsks(role, PRIORITY, yarn);
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
    came.forEach(asks::allocated);
    return came.size();
  }

  private int total(RoleSpec asked) {
    return yarn.totals.getOrDefault(size(asked), 0);
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

    assertEquals(3, yarn.containers);
    assertEquals(0, asks.pending());
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

    assertEquals(2, asks.pending());
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
    assertEquals(0, asks.pending());
    assertEquals(0, total(role));
  }

  @Test
  public void shouldWantNoMoreThanItHasWhenItsLastChangeCameLate() throws Exception {
    asks.add(role, 2);
    call();
    yarn.grant(1, size(role));
    asks.withdraw(1); // of one that is granted already
    assertEquals(1, call());
    assertEquals(0, asks.pending());
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
    assertEquals(2, asks.pending());
    call();

    assertEquals(0, total(role));
    assertEquals(2, total(grown));
  }
}
