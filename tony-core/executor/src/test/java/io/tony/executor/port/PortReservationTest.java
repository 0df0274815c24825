package io.tony.executor.port;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class PortReservationTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  @After
  public void closeAll() throws Exception {
    processes.forEach(Process::destroyForcibly);
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
  }

  private <T extends AutoCloseable> T kept(T closeable) {
    open.add(closeable);
    return closeable;
  }

  private PortReservation take(boolean shared) throws IOException {
    return kept(PortReservation.take(shared));
  }

  private ServerSocket listen(InetAddress address, int port) throws IOException {
    ServerSocket socket = kept(new ServerSocket());
    socket.bind(new InetSocketAddress(address, port));
    return socket;
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  // ---- One task's port ----

  @Test
  public void shouldHoldThePortOnAllAddressesUntilTheProgramIsToListen() throws IOException {
    PortReservation reservation = take(false);
    int port = reservation.port();
    assertThrows(BindException.class, () -> listen(loopback(), port));
    assertThrows(BindException.class, () -> listen(null, port));

    reservation.handOver();

    assertEquals(port, listen(null, port).getLocalPort());
  }

  /** One who is accepted, and cut off a moment later, may not try again. */
  @Test
  public void shouldRefuseWhoConnectsTooEarly() throws IOException {
    for (boolean shared : new boolean[] {false, true}) {
      PortReservation reservation = take(shared);
      assertThrows(ConnectException.class, () -> new Socket(loopback(), reservation.port()));
    }
  }

  @Test
  public void shouldFreeAllWhenItIsClosed() throws IOException {
    PortReservation reservation = PortReservation.take(false);
    int port = reservation.port();

    reservation.close();

    listen(null, port);
    kept(new DatagramSocket(port));
  }

  // ---- All tasks of a node ----

  /** All but the claims is given up at once, so that the kernel offers the ports again. */
  @Test
  public void shouldGiveNoPortTwiceWhileAProgramHasIt() throws Exception {
    int tasks = 2_000;
    ExecutorService executors = Executors.newFixedThreadPool(8);
    try {
      List<Future<PortReservation>> takers = new ArrayList<>();
      for (int i = 0; i < tasks; i++) {
        takers.add(
            executors.submit(
                () -> {
                  PortReservation reservation = PortReservation.take(false);
                  reservation.handOver();
                  return reservation;
                }));
      }
      Set<Integer> ports = new HashSet<>();
      for (Future<PortReservation> taker : takers) {
        assertTrue("given twice", ports.add(kept(taker.get()).port()));
      }
      assertEquals(tasks, ports.size());
    } finally {
      executors.shutdownNow();
    }
  }

  @Test
  public void shouldClaimThePortForAsLongAsTheExecutorLives() throws IOException {
    PortReservation reservation = take(false);
    reservation.handOver();

    assertThrows(SocketException.class, () -> kept(new DatagramSocket(reservation.port())));
  }

  // ---- The next program ----

  @Test
  public void shouldRenewTheSamePortWhenItIsToBeHad() throws IOException {
    for (boolean shared : new boolean[] {false, true}) {
      PortReservation reservation = take(shared);
      int port = reservation.port();
      reservation.handOver();

      reservation.renew();

      assertEquals(port, reservation.port());
      assertThrows(BindException.class, () -> listen(null, port));
    }
  }

  @Test
  public void shouldTakeAnotherPortWhenSomebodyStillListensOnTheOldOne() throws IOException {
    PortReservation reservation = take(false);
    int port = reservation.port();
    reservation.handOver();
    listen(null, port);

    reservation.renew();

    assertNotEquals(port, reservation.port());
    assertThrows(BindException.class, () -> listen(null, reservation.port()));
    kept(new DatagramSocket(port)); // the old claim is given up
  }

  /** Else its connections would be spread over the old and the new program. */
  @Test
  public void shouldNotShareThePortWithWhatIsLeftOfTheProgramBefore() throws IOException {
    PortReservation reservation = take(true);
    int port = reservation.port();
    ServerSocket left = kept(new ServerSocket());
    left.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    left.bind(new InetSocketAddress(port));

    reservation.renew();

    assertNotEquals(port, reservation.port());
  }

  // ---- SO_REUSEPORT ----

  @Test
  public void shouldStayBesideAProgramThatSharesThePort() throws Exception {
    PortReservation reservation = take(true);
    reservation.handOver();

    try (BufferedReader program = sharingProgram(reservation.port())) {
      assertEquals("listening", program.readLine());
      // More than one, because the kernel spreads connections over all who listen.
      for (int i = 0; i < 20; i++) {
        try (Socket connection = new Socket(loopback(), reservation.port())) {
          byte[] answer = connection.getInputStream().readAllBytes();
          assertEquals("hello", new String(answer, StandardCharsets.UTF_8));
        }
      }
      assertThrows(BindException.class, () -> listen(null, reservation.port()));
    }
  }

  private BufferedReader sharingProgram(int port) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Xmx32m",
                SharingProgram.class.getName(),
                Integer.toString(port))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    processes.add(process);
    return process.inputReader(StandardCharsets.UTF_8);
  }

  /** Listens on a port with {@code SO_REUSEPORT}, and greets whoever connects. */
  static final class SharingProgram {
    private SharingProgram() {}

    public static void main(String[] args) throws IOException {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        socket.bind(new InetSocketAddress(Integer.parseInt(args[0])));
        System.out.println("listening");
        while (true) {
          try (Socket connection = socket.accept()) {
            connection.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
          }
        }
      }
    }
  }
}
