package io.tony.executor.port;

import io.tony.process.Spawner;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Detects when the program begins to listen on a port of this node. A background thread tries to
 * connect twice a second until a connection is accepted or the program ends. It connects to the
 * node's public name: a program that listens on the loopback address only is not detected, because
 * no browser could reach it.
 */
public final class PortWatch {
  /**
   * Time between two tries to connect. Not shorter, because the program may never listen, and the
   * tries then last until its end; a refused one takes about 50 microseconds.
   */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private static final int CONNECT_TIMEOUT_MS = 500;

  private final String host;
  private final int port;

  public PortWatch(String host, int port) {
    this.host = host;
    this.port = port;
  }

  /**
   * Starts the thread.
   *
   * @param ended completes when the program ends
   * @param onListening called at most once, on the new thread
   * @param spawner starts the thread
   * @throws IOException if no thread can be started
   */
  public void start(Future<?> ended, Runnable onListening, Spawner spawner) throws IOException {
    spawner.startThread("port-watch", () -> poll(ended, onListening));
  }

  private void poll(Future<?> ended, Runnable onListening) {
    while (!endsWithin(POLL_INTERVAL, ended)) {
      if (accepts()) {
        onListening.run();
        return;
      }
    }
  }

  private static boolean endsWithin(Duration time, Future<?> ended) {
    try {
      ended.get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private boolean accepts() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT_MS);
      boolean itself = socket.getLocalSocketAddress().equals(socket.getRemoteSocketAddress());
      if (itself) {
        // The kernel chose this very port as the local port, and TCP lets a socket connect to
        // itself. Close by a reset, which leaves no TIME_WAIT that would keep the program from
        // binding the port.
        socket.setSoLinger(true, 0);
      }
      return !itself;
    } catch (IOException e) {
      return false; // the program does not listen yet
    }
  }
}
