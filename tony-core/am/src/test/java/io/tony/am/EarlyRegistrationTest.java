package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.NoFreePortException;
import io.tony.am.rpc.RpcPort;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.protocol.JobKey;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class EarlyRegistrationTest {
  private static final String HOST = "127.0.0.1";

  private static final JobSpec JOB =
      SampleJob.job().workers(3).role("evaluator", 1, Supervision.TRACKED).after("worker").spec();

  @Rule public final Timeout limit = Timeout.seconds(60);

  private static void awaitWithoutPort(boolean begun) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      PortRange ports = new PortRange(taken.getLocalPort(), taken.getLocalPort());
      JobKey key = JobKey.random("application_1_0001");
      EarlyRegistration arrival =
          new EarlyRegistration(
              (host, port) -> {
                throw new AssertionError("there is no port to tell");
              },
              new RpcPort(new Configuration(), HOST, ports, 1, key),
              JOB,
              begun ? 1 : 2);
      arrival.start();

      NoFreePortException none = assertThrows(NoFreePortException.class, arrival::await);

      assertTrue(none.getMessage(), none.getMessage().contains(ports.toString()));
    }
  }

  @Test
  public void shouldAskForContainersOfANewJobOnly() {
    assertEquals(Map.of(JOB.role("worker"), 3), EarlyRegistration.earlyRequests(JOB, 1));
    assertEquals("some may run on", Map.of(), EarlyRegistration.earlyRequests(JOB, 2));
  }

  @Test
  public void shouldTellThatThereIsNoPort() throws Exception {
    awaitWithoutPort(false);
  }

  @Test
  public void shouldTellWhatHappenedWhileNobodyWaited() throws Exception {
    awaitWithoutPort(true);
  }
}
