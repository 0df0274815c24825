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

/**
 * {@code tony shell}: connects this terminal to a shell in a task's container, or runs one command
 * there.
 */
public final class RemoteShell {
  /** Exit code if the connection ends before the shell does, as in ssh. */
  public static final int EXIT_BROKEN = 255;

  /** Maximum time, in milliseconds, to close a connection that may hang. */
  private static final long MAX_CLOSE_MS = 1_000;

  /** Maximum number of chunks read from the terminal that wait to be sent. */
  private static final int MAX_PENDING_READS = 1_000;

  private final RunningApplication application;
  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * Creates a shell with these streams as its terminal.
   *
   * @param err stream for messages about the connection
   */
  public RemoteShell(
      RunningApplication application, InputStream in, PrintStream out, PrintStream err) {
    this.application = application;
    this.in = in;
    this.out = out;
    this.err = err;
  }

  /**
   * Runs a shell or one command in a task's container. Returns the exit code of the shell or the
   * command, or {@link #EXIT_BROKEN}.
   *
   * @param task the task; empty if the job has only one task
   * @param command the command, which gets no input; empty for a shell at this terminal
   * @throws InvalidJobException if a shell has no terminal, or the ApplicationMaster refuses the
   *     request
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
      // this process already exits because of a signal
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

  /**
   * Ends the shell, by closing its tunnel through the ApplicationMaster. If the connection hangs,
   * the tunnel ends only when the ApplicationMaster detects the end of this process.
   */
  private static void leave(MasterConnection master, long tunnel, ShellListener listener) {
    listener.markLeft();
    try {
      Spawner.SYSTEM.startThread("close-tunnel", () -> close(master, tunnel)).join(MAX_CLOSE_MS);
    } catch (IOException e) {
      // the end of this process closes the connection, and thus the tunnel
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(MasterConnection master, long tunnel) {
    try {
      master.closeTunnel(tunnel);
    } catch (IOException e) {
      // the ApplicationMaster has exited, which has ended the tunnel
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

  /**
   * Reads what the user types, and adds it to {@code toSend}. Runs on a thread of its own, so that
   * the user can leave while earlier input cannot be sent.
   */
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
      // the terminal was closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    listener.markLeft();
    end.close();
  }

  /** Prints the output of the shell, and records how the shell or the tunnel ended. */
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
    // The remote end sends no sizes of a terminal, so there is nothing to do.
    public void onWindow(Chunk.Window window) {}

    @Override
    public void onEnd(Chunk.End end) {
      lastEnd.set(end);
    }

    /** Returns true, because the shell's exit code may arrive after this end has been closed. */
    @Override
    public boolean readsAfterClose() {
      return true;
    }

    @Override
    public void onClosed(String why) {
      closeReason.complete(why);
    }

    /**
     * Records that the user has left the shell, so that the end of the connection is not reported
     * as an error.
     */
    void markLeft() {
      userLeft = true;
    }

    /**
     * Returns the exit code of the shell. If there is none, prints why, unless the user has left,
     * and returns {@link #EXIT_BROKEN}. Call after the shell's end has arrived or the tunnel was
     * closed.
     */
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
