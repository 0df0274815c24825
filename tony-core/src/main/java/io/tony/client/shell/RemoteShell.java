package io.tony.client.shell;

import io.tony.client.application.MasterConnection;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.InvalidJobException;
import io.tony.model.TaskId;
import io.tony.process.Spawner;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.Window;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelEnd;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony shell}: a shell beside the program of a task, at this terminal. */
public final class RemoteShell {
  /** As ssh does, where the connection ends before the shell. */
  public static final int EXIT_BROKEN = 255;

  /** How long leaving waits for a connection that may hang. */
  private static final long MAX_CLOSE_MS = 1_000;

  /** Reads of the terminal that wait to be sent. */
  private static final int MAX_PENDING_READS = 1_000;

  private final RunningApplication application;
  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * At these streams.
   *
   * @param err what is told of the connection
   */
  public RemoteShell(
      RunningApplication application, InputStream in, PrintStream out, PrintStream err) {
    this.application = application;
    this.in = in;
    this.out = out;
    this.err = err;
  }

  /**
   * Returns the exit code of the shell, when it has ended.
   *
   * @param task nothing where the job has one only
   * @param command what it runs, with nothing to read; nothing for a shell at this terminal
   */
  public int run(Optional<TaskId> task, Optional<String> command)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    if (command.isEmpty() && !Terminal.isAvailable()) {
      throw new InvalidJobException(
          List.of("there is no terminal here to type at: say with -command what is to be run"));
    }
    OpenRequest.Builder request =
        OpenRequest.newBuilder().setWho(userName()).setShell(shell(command));
    task.ifPresent(id -> request.setRole(id.role()).setIndex(id.index()));
    try (MasterConnection master = application.connect()) {
      OpenResponse opened = master.openTunnel(request.build());
      if (opened.hasProblem()) {
        throw new InvalidJobException(List.of(opened.getProblem()));
      }
      return run(master, opened.getTunnel(), command.isPresent());
    }
  }

  private int run(MasterConnection master, long tunnel, boolean isCommand)
      throws IOException, InterruptedException {
    ShellListener listener = new ShellListener();
    Thread onSignal = new Thread(() -> leave(master, tunnel, listener), "leave");
    Runtime.getRuntime().addShutdownHook(onSignal);
    try {
      if (isCommand) {
        runCommand(master.tunnelLink(tunnel), listener);
      } else {
        runInteractive(master.tunnelLink(tunnel), listener);
      }
      return listener.exitCode();
    } finally {
      leave(master, tunnel, listener);
      removeHook(onSignal);
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // a signal ends this process already
    }
  }

  private static String userName() throws IOException {
    return UserGroupInformation.getCurrentUser().getShortUserName();
  }

  private static Shell shell(Optional<String> command) throws IOException, InterruptedException {
    if (command.isPresent()) {
      return Shell.newBuilder().setCommand(command.get()).build();
    }
    Chunk.Window window = Terminal.window();
    return Shell.newBuilder()
        .setTerminal(Terminal.type())
        .setWindow(Window.newBuilder().setRows(window.rows()).setColumns(window.columns()))
        .build();
  }

  /** It ends the shell, at once where the connection lives; the ApplicationMaster finds out. */
  private static void leave(MasterConnection master, long tunnel, ShellListener listener) {
    listener.markLeft();
    try {
      Spawner.SYSTEM.startThread("close-tunnel", () -> close(master, tunnel)).join(MAX_CLOSE_MS);
    } catch (IOException e) {
      // the connection ends with this process, and with it the tunnel
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(MasterConnection master, long tunnel) {
    try {
      master.closeTunnel(tunnel);
    } catch (IOException e) {
      // the ApplicationMaster is gone, and with it the tunnel
    }
  }

  private static void runCommand(TunnelLink line, ShellListener listener)
      throws IOException, InterruptedException {
    try (TunnelEnd end = TunnelEnd.open("shell", line, listener, Spawner.SYSTEM)) {
      end.awaitPeerEnd();
    }
  }

  private void runInteractive(TunnelLink line, ShellListener listener)
      throws IOException, InterruptedException {
    try (Terminal terminal = Terminal.acquire();
        TunnelEnd end = TunnelEnd.open("shell", line, listener, Spawner.SYSTEM)) {
      terminal.notifySizes(window -> send(end, window));
      BlockingQueue<byte[]> typed = new ArrayBlockingQueue<>(MAX_PENDING_READS);
      Spawner.SYSTEM.startThread("keys", () -> readKeys(typed, end, listener));
      Spawner.SYSTEM.startThread("typed", () -> send(end, typed));
      end.awaitPeerEnd();
    }
  }

  private static void send(TunnelEnd end, Chunk.Window window) {
    try {
      end.send(window);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(TunnelEnd end, BlockingQueue<byte[]> typed) {
    try {
      while (true) {
        byte[] next = typed.take();
        end.send(next, next.length);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Leaves also where what was typed before cannot be sent. */
  private void readKeys(BlockingQueue<byte[]> toSend, TunnelEnd end, ShellListener listener) {
    EscapeFilter escapeFilter = new EscapeFilter();
    byte[] typed = new byte[4096];
    try {
      int length = in.read(typed);
      while (length >= 0) {
        toSend.put(escapeFilter.filter(typed, length));
        length = escapeFilter.exitRequested() ? -1 : in.read(typed);
      }
    } catch (IOException e) {
      // the terminal is gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    listener.markLeft();
    end.close();
  }

  /** What the shell says, and how it ends. */
  private final class ShellListener implements TunnelEnd.Listener {
    private final AtomicReference<Chunk.End> lastEnd = new AtomicReference<>();
    private final CompletableFuture<String> closeReason = new CompletableFuture<>();
    private volatile boolean userLeft;

    @Override
    public void onData(byte[] data) throws IOException {
      out.write(data, 0, data.length);
      if (out.checkError()) {
        throw new IOException("the output of the shell cannot be written");
      }
    }

    @Override
    public void onWindow(Chunk.Window window) {} // the terminal is here

    @Override
    public void onEnd(Chunk.End end) {
      lastEnd.set(end);
    }

    /** The exit code may be on its way. */
    @Override
    public boolean readsAfterClose() {
      return true;
    }

    @Override
    public void onClosed(String why) {
      closeReason.complete(why);
    }

    /** This process has had enough; that it then breaks needs no word. */
    void markLeft() {
      userLeft = true;
    }

    /** Once the other end has said its last, or the tunnel is no more. */
    int exitCode() {
      Chunk.End end = lastEnd.get();
      if (end != null && end.exitCode() != null) {
        return end.exitCode();
      }
      if (!userLeft) {
        err.println("tony shell: " + (end == null ? closeReason.join() : end.problem()));
      }
      return EXIT_BROKEN;
    }
  }
}
