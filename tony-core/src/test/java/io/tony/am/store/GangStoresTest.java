package io.tony.am.store;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.runtime.Gang;
import io.tony.runtime.StoreProtocol;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.After;
import org.junit.Test;

/** Which gangs share a store: an MPI world is its ranks', other stores are the session's. */
public class GangStoresTest {
  private static final JobSpec JOB =
      job().workers(2).role("evaluator", 1, Supervision.TRACKED).spec();

  private GangStores stores;

  @After
  public void close() {
    stores.close();
  }

  private int port(ClusterSpec cluster, int session) {
    return stores.equip(new Gang(JOB, cluster, session)).storeAddress().endpoint().port();
  }

  private static ClusterSpec cluster(int firstPort, String... roles) {
    Map<String, List<Endpoint>> members = new HashMap<>();
    for (String role : roles) {
      members.put(role, List.of(new Endpoint("node", firstPort)));
    }
    return new ClusterSpec(members);
  }

  @Test
  public void shouldHaveAWorldForEachTableOfRanks() {
    stores = new GangStores(StoreProtocol.PMI, "localhost");
    ClusterSpec cluster = cluster(1_000, "worker", "evaluator");
    int first = port(cluster, 0);

    assertEquals("for each task", first, port(cluster, 0));
    assertEquals("one moved", first, port(cluster(2_000, "worker", "evaluator"), 0));
    int later = port(cluster(1_000, "evaluator"), 0);
    assertNotEquals("a later stage", first, later);
    assertNotEquals("started again", later, port(cluster(1_000, "evaluator"), 1));
  }

  @Test
  public void shouldKeepTheKeysOfASessionForItsLaterStages() {
    stores = new GangStores(StoreProtocol.HTTP, "localhost");
    int first = port(cluster(1_000, "worker", "evaluator"), 0);

    assertEquals(first, port(cluster(1_000, "evaluator"), 0));
    assertNotEquals(first, port(cluster(1_000, "evaluator"), 1));
  }
}
