package io.tony.client.notebook;

import io.tony.client.application.MasterConnection;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.InvalidJobException;
import io.tony.container.PollInterval;
import io.tony.model.TaskId;
import io.tony.process.Spawner;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.tunnel.SocketEnd;
import io.tony.tunnel.TunnelEnd;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a port of this machine's loopback address, and forwards each connection, through the
 * job's ApplicationMaster, to a task's port. While the task is not running, connections are closed
 * at once.
 */
public final class PortForward implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PortForward.class);

  /**
   * Maximum number of open connections. The ApplicationMaster has a lower limit; this limit matters
   * only if the ApplicationMaster hangs.
   */
  private static final int MAX_CONNECTIONS = 64;

  private static final int ANSWER_TIMEOUT_MS = 5_000;
  private static final long RETRY_DELAY_MS = 200;

  /**
   * Shortest interval between two checks whether the notebook answers. The interval grows up to
   * {@link #MAX_POLL_INTERVAL}, because the job may wait in its queue for long.
   */
  private static final Duration MIN_POLL_INTERVAL = Duration.ofMillis(500);

  private static final Duration FAST_POLL_PERIOD = Duration.ofMinutes(1);
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(5);

  private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ServerSocket listener;
  private final TaskId task;
  private final Supplier<Optional<RunningApplication>> application;
  private final Semaphore permits = new Semaphore(MAX_CONNECTIONS);
  private @Nullable MasterConnection master; // null if there is no connection, or if it is broken
  private final AtomicLong lastLogNanos = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);
  private volatile boolean answered;

  private PortForward(
      ServerSocket listener, TaskId task, Supplier<Optional<RunningApplication>> application) {
    this.listener = listener;
    this.task = task;
    this.application = application;
  }

  /**
   * Starts to listen, and forwards connections on background threads.
   *
   * @param port port of this machine; 0 for any free one
   * @param application returns the job's application; empty before the submission
   * @throws IOException if the port is in use
   */
  public static PortForward listen(
      int port, TaskId task, Supplier<Optional<RunningApplication>> application)
      throws IOException {
    PortForward forward =
        new PortForward(
            new ServerSocket(port, MAX_CONNECTIONS, InetAddress.getLoopbackAddress()),
            task,
            application);
    Spawner.SYSTEM.startThread("port-forward", forward::accept);
    return forward;
  }

  public int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        handle(listener.accept());
      } catch (IOException e) {
        // The listener was closed, or this process has too many open files. In the second case, a
        // file may be closed during the pause, so that the next call succeeds.
        pause();
      }
    }
  }

  private void handle(Socket socket) throws IOException {
    if (!permits.tryAcquire()) {
      logRefusal(MAX_CONNECTIONS + " are open, the limit");
      socket.close();
      return;
    }
    try {
      Spawner.SYSTEM.startThread("connection", () -> forward(socket));
    } catch (IOException e) { // no thread could be created
      permits.release();
      logRefusal(String.valueOf(e.getMessage()));
      socket.close();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RETRY_DELAY_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void forward(Socket socket) {
    try (socket) {
      forward(SocketEnd.of(socket));
    } catch (InvalidJobException e) {
      logRefusal(String.join("; ", e.problems()));
      // OutOfMemoryError is thrown if Hadoop cannot create a thread.
    } catch (IOException | YarnException | OutOfMemoryError e) {
      LOG.info("A connection is broken: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      permits.release();
    }
  }

  private void forward(SocketEnd socket)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    OpenRequest request =
        OpenRequest.newBuilder()
            .setWho(UserGroupInformation.getCurrentUser().getShortUserName())
            .setRole(task.role())
            .setIndex(task.index())
            .build();
    MasterConnection connection = master();
    OpenResponse opened;
    try {
      opened = connection.openTunnel(request);
    } catch (IOException e) {
      discardMaster(connection);
      connection = master(); // connect again: there may be a new attempt of the ApplicationMaster
      opened = connection.openTunnel(request);
    }
    if (opened.hasProblem()) {
      logRefusal(opened.getProblem());
      return;
    }
    try (TunnelEnd end =
        TunnelEnd.open(
            "connection", connection.tunnelLink(opened.getTunnel()), socket, Spawner.SYSTEM)) {
      end.sendAll(socket);
      end.await();
    } finally {
      connection.closeTunnel(opened.getTunnel());
    }
  }

  /**
   * Logs that a connection to the forwarded port was refused. If the notebook has answered before,
   * this is a warning, at most once a minute, because any user of this machine can connect and
   * would otherwise fill the log. All other refusals are logged at level INFO.
   */
  private void logRefusal(String problem) {
    long now = System.nanoTime();
    long last = lastLogNanos.get();
    if (answered && now - last >= LOG_INTERVAL_NANOS && lastLogNanos.compareAndSet(last, now)) {
      LOG.warn("a connection of the browser was refused: {}", problem);
    } else {
      LOG.info("A connection leads nowhere yet: {}", problem);
    }
  }

  private synchronized MasterConnection master()
      throws InvalidJobException, IOException, YarnException {
    if (master == null) {
      master =
          application.get().orElseThrow(() -> new IOException("there is no job yet")).connect();
    }
    return master;
  }

  /**
   * Makes the next forwarded connection connect to the ApplicationMaster again. Does not close
   * {@code broken}, which other forwarded connections may still use.
   */
  private synchronized void discardMaster(MasterConnection broken) {
    if (master == broken) {
      master = null;
    }
  }

  /** Waits until the notebook answers HTTP requests through the forwarded port. */
  public void awaitAnswer() throws InterruptedException {
    PollInterval interval =
        new PollInterval(MIN_POLL_INTERVAL, FAST_POLL_PERIOD, MAX_POLL_INTERVAL);
    while (!answers()) {
      Thread.sleep(interval.next().toMillis());
    }
    answered = true;
  }

  private boolean answers() {
    try {
      URI uri = URI.create("http://127.0.0.1:" + port() + "/api");
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
      connection.setConnectTimeout(ANSWER_TIMEOUT_MS);
      connection.setReadTimeout(ANSWER_TIMEOUT_MS);
      try {
        return connection.getResponseCode() > 0;
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }

  /** Stops listening. Connections that are open continue until this process ends. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      LOG.info("{} stays open: {}", listener, e.toString());
    }
  }
}
