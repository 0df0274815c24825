package io.tony.executor.port;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Map;
import org.junit.Test;

public class NodeInterfaceTest {
  private static final InetSocketAddress MASTER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 4242);

  private static String loopback() throws IOException {
    return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()).getName();
  }

  private static Map<String, String> all(String name) {
    return Map.of(
        "NCCL_SOCKET_IFNAME", "=" + name,
        "GLOO_SOCKET_IFNAME", name,
        "TP_SOCKET_IFNAME", name,
        "HOROVOD_GLOO_IFACE", name,
        "DMLC_INTERFACE", name);
  }

  @Test
  public void shouldFindTheOneThatLeadsToTheMaster() throws IOException {
    assertEquals(all(loopback()), NodeInterface.variables("auto", MASTER));
  }

  @Test
  public void shouldSayThatNoneLeadsToAnUnknownMaster() {
    InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 4242);

    IOException e = assertThrows(IOException.class, () -> NodeInterface.variables("auto", unknown));

    assertTrue(e.getMessage(), e.getMessage().endsWith("; name one (tony.task.network-interface)"));
  }

  @Test
  public void shouldTakeTheOneThatIsNamed() throws IOException {
    assertEquals(all(loopback()), NodeInterface.variables(loopback(), MASTER));
  }

  @Test
  public void shouldSayWhichThereAre() {
    IOException e =
        assertThrows(IOException.class, () -> NodeInterface.variables("bond77", MASTER));

    assertTrue(
        e.getMessage(),
        e.getMessage()
            .matches(
                "this node has no network interface bond77 \\(tony.task.network-interface\\);"
                    + " it has .*\\blo\\b.*"));
  }
}
