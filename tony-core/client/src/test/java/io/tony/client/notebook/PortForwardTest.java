package io.tony.client.notebook;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.TaskId;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/**
 * What others on this machine can do to the port of a notebook; NotebookIT shows what it is for.
 */
public class PortForwardTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  @Test
  public void shouldCloseConnectionsAboveItsLimit() throws Exception {
    CountDownLatch goesOn = new CountDownLatch(1);
    List<Socket> open = new ArrayList<>();
    TaskId notebook = new TaskId("notebook", 0);
    try (PortForward forward =
        PortForward.listen(
            0,
            notebook,
            () -> {
              awaitUninterrupted(goesOn);
              return Optional.empty();
            })) {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      for (int i = 0; i < 64; i++) {
        open.add(new Socket(loopback, forward.port()));
      }
      for (int i = 0; i < 100; i++) {
        try (Socket more = new Socket(loopback, forward.port())) {
          assertEquals(-1, more.getInputStream().read());
        }
      }

      goesOn.countDown();
      assertEquals("there is no job: it is closed", -1, open.get(0).getInputStream().read());
      assertTrue(Thread.activeCount() < 200);
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
