package io.tony.am.rendezvous;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.NoFreePortException;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.Supervision;
import io.tony.runtime.Gang;
import io.tony.runtime.Runtimes;
import io.tony.runtime.StoreProtocol;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    stores = new GangStores(StoreProtocol.PMI, "localhost", PortRange.ANY);
    ClusterSpec cluster = cluster(1_000, "worker", "evaluator");
    int first = port(cluster, 0);

    assertEquals("for each task", first, port(cluster, 0));
    assertEquals("one moved", first, port(cluster(2_000, "worker", "evaluator"), 0));
    int later = port(cluster(1_000, "evaluator"), 0);
    assertNotEquals("a later stage", first, later);
    assertNotEquals("started again", later, port(cluster(1_000, "evaluator"), 1));
  }

  @Test
  public void shouldOpenNoPortForAFrameworkThatNeedsNoStore() {
    stores = new GangStores(StoreProtocol.NONE, "localhost", PortRange.ANY);
    int before = listening();

    Gang gang = stores.equip(new Gang(JOB, cluster(1_000, "worker"), 0));

    assertThrows(IllegalStateException.class, gang::storeAddress);
    assertEquals(before, listening());
    List<String> withStore =
        Runtimes.load().names().stream()
            .filter(name -> Runtimes.load().forMaster(name).store() != StoreProtocol.NONE)
            .toList();
    assertEquals(List.of("generic", "horovod", "mpi"), withStore);
  }

  /** Ports of this process, of all test classes that run in it. */
  private static int listening() {
    return (int)
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> Set.of("store", "horovod-store", "pmi").contains(thread.getName()))
            .count();
  }

  @Test
  public void shouldTakeItsPortsFromTheRange() throws IOException {
    PortRange two;
    int first;
    try (ServerSocket held = below()) {
      two = neighbours(held.getLocalPort());
      stores = new GangStores(StoreProtocol.HTTP, "localhost", two);

      first = port(cluster(1_000, "worker"), 0);
      assertTrue(first != held.getLocalPort() && two.portsAfter(0).contains(first));
      assertEquals("the only one", first, port(cluster(1_000, "worker"), 1));
    }
    int later = port(cluster(1_000, "worker"), 2);
    assertNotEquals("not that of the gang before", first, later);
    assertTrue(two.portsAfter(0).contains(later));
  }

  /** This port and one beside it that is free, the one before it where that can be. */
  private static PortRange neighbours(int port) throws IOException {
    try (ServerSocket below = new ServerSocket(port - 1, 1, InetAddress.getByName("localhost"))) {
      return new PortRange(below.getLocalPort(), port);
    } catch (BindException e) {
      return new PortRange(port, port + 1);
    }
  }

  /** Where neither the kernel nor tony-mini gives a port to others. */
  private static ServerSocket below() throws IOException {
    for (int port = 30_500; port < 30_600; port++) {
      try {
        return new ServerSocket(port, 1, InetAddress.getByName("localhost"));
      } catch (BindException e) {
        // The next one.
      }
    }
    throw new IOException("no free port from 30500 on");
  }

  @Test
  public void shouldSayThatTheRangeHasNoFreePort() throws IOException {
    try (ServerSocket held = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
      int port = held.getLocalPort();
      stores = new GangStores(StoreProtocol.PMI, "localhost", new PortRange(port, port));
      NoFreePortException none =
          assertThrows(
              NoFreePortException.class, () -> port(cluster(1_000, "worker", "evaluator"), 0));
      assertTrue(
          none.getMessage(),
          none.getMessage()
              .startsWith(
                  "no port of tony.am.port-range="
                      + port
                      + "-"
                      + port
                      + " is free on localhost for the store"));
    }
  }

  @Test
  public void shouldKeepTheKeysOfASessionForItsLaterStages() {
    stores = new GangStores(StoreProtocol.HTTP, "localhost", PortRange.ANY);
    int first = port(cluster(1_000, "worker", "evaluator"), 0);

    assertEquals(first, port(cluster(1_000, "evaluator"), 0));
    assertNotEquals(first, port(cluster(1_000, "evaluator"), 1));
  }
}
