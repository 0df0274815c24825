package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.Test;

public class PortReservationTest {
  private static void bind(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      assertEquals(port, socket.getLocalPort());
    }
  }

  @Test
  public void shouldHoldThePortUntilTheProgramIsToListen() throws IOException {
    int port;
    try (PortReservation reservation = PortReservation.on("127.0.0.1")) {
      port = reservation.port();
      assertThrows(BindException.class, () -> bind(reservation.port()));
    }

    bind(port);
  }

  @Test
  public void shouldGiveEveryTaskOfANodeAPortOfItsOwn() throws IOException {
    try (PortReservation one = PortReservation.on("127.0.0.1");
        PortReservation other = PortReservation.on("127.0.0.1")) {
      assertNotEquals(one.port(), other.port());
    }
  }
}
