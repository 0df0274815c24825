package io.tony.executor.tunnel;

import io.tony.executor.link.MasterLink;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.settings.ExecutorLog;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.LocalEnd;
import io.tony.tunnel.SocketEnd;
import io.tony.tunnel.TunnelEnd;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * The executor's ends of the container's tunnels: shells in the container, and connections to the
 * task's port. Each tunnel has its own threads and does not affect the task's state.
 */
public final class TaskTunnels implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(TaskTunnels.class);

  private static final int CONNECT_TIMEOUT_MS = 5_000;

  private final MasterLink master;
  private final TaskKey key;
  private final ProgramLauncher launcher;
  private final IntSupplier port;
  private final Spawner spawner;
  private final Set<TunnelEnd> openEnds = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates an instance without tunnels.
   *
   * @param key key of any attempt in this container
   * @param launcher provides the environment and working directory of shells
   * @param port supplies the task's port, which may change with each attempt
   * @param spawner starts the threads of each tunnel
   */
  public TaskTunnels(
      MasterLink master, TaskKey key, ProgramLauncher launcher, IntSupplier port, Spawner spawner) {
    this.spawner = spawner;
    this.master = master;
    this.key = key;
    this.launcher = launcher;
    this.port = port;
  }

  /**
   * Opens a tunnel on a new thread. If the tunnel's local end cannot be opened, the client is
   * informed through the tunnel; if no thread can be started, the failure is only logged.
   */
  public void open(ExecutorCommand.OpenTunnel request) {
    try {
      spawner.startThread("tunnel-" + request.tunnelId(), () -> serve(request));
    } catch (IOException e) {
      LOG.info("a tunnel cannot be opened: " + e);
    }
  }

  private void serve(ExecutorCommand.OpenTunnel request) {
    try {
      serve(master.tunnelLink(key, request.tunnelId()), localEnd(request));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.info("a tunnel cannot be served: " + e);
    }
  }

  private LocalEnd localEnd(ExecutorCommand.OpenTunnel request) {
    try {
      return request.shell() == null
          ? connect(port.getAsInt())
          : ShellTunnelEnd.start(launcher, request.tunnelId(), request.shell());
    } catch (IOException | RuntimeException e) {
      LOG.info("a tunnel cannot be opened: " + e);
      return new FailedEnd(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  /** Connects to the loopback address, so that a program that listens only there can be reached. */
  private static SocketEnd connect(int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_TIMEOUT_MS);
      return SocketEnd.of(socket);
    } catch (IOException e) {
      socket.close();
      throw new IOException("nothing can be reached at port " + port + " of the task: " + e, e);
    }
  }

  private void serve(TunnelLink link, LocalEnd local) throws IOException, InterruptedException {
    try (TunnelEnd end = TunnelEnd.open("tunnel", link, local, spawner)) {
      openEnds.add(end);
      try {
        if (!closed) {
          end.sendAll(local);
          end.await();
        }
      } finally {
        openEnds.remove(end);
      }
    }
  }

  /**
   * The executor's end of a tunnel that could not be opened; sends only the problem to the client.
   *
   * @param problem why the tunnel could not be opened
   */
  private record FailedEnd(String problem) implements LocalEnd {
    @Override
    public void sendTo(TunnelEnd end) throws InterruptedException {
      end.send(Chunk.End.withProblem(problem));
    }

    @Override
    public void onData(byte[] data) {}

    @Override
    public void onWindow(Chunk.Window window) {}

    @Override
    public void onEnd(Chunk.End end) {}

    @Override
    public void onClosed(String why) {}
  }

  /** Closes all tunnels and opens no further ones. */
  @Override
  public void close() {
    closed = true;
    openEnds.forEach(TunnelEnd::close);
  }
}
