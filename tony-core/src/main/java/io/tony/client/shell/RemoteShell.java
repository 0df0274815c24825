package io.tony.client.shell;

import io.tony.client.follow.MasterConnection;
import io.tony.client.follow.RunningApplication;
import io.tony.client.source.InvalidJobException;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.Window;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelEnd;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony shell}: a shell beside the program of a task, at this terminal. */
public final class RemoteShell {
  /** As ssh does, where the connection ends before the shell. */
  public static final int EXIT_BROKEN = 255;

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
    if (command.isEmpty() && !Terminal.isThere()) {
      throw new InvalidJobException(
          List.of("there is no terminal here to type at: say with -command what is to be run"));
    }
    OpenRequest.Builder request = OpenRequest.newBuilder().setWho(who()).setShell(shell(command));
    task.ifPresent(id -> request.setRole(id.role()).setIndex(id.index()));
    try (MasterConnection master = application.connect()) {
      OpenResponse opened = master.openTunnel(request.build());
      if (opened.hasProblem()) {
        throw new InvalidJobException(List.of(opened.getProblem()));
      }
      long tunnel = opened.getTunnel();
      Thread closing = new Thread(() -> close(master, tunnel), "close-tunnel");
      Runtime.getRuntime().addShutdownHook(closing);
      try {
        return command.isPresent() ? listen(master, tunnel) : talk(master, tunnel);
      } finally {
        close(master, tunnel);
        Runtime.getRuntime().removeShutdownHook(closing);
      }
    }
  }

  private static String who() throws IOException {
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

  /** It ends the shell; the executor would find out by itself, later. */
  private static void close(MasterConnection master, long tunnel) {
    try {
      master.closeTunnel(tunnel);
    } catch (IOException e) {
      // the ApplicationMaster is gone, and with it the tunnel
    }
  }

  private int listen(MasterConnection master, long tunnel) throws InterruptedException {
    Ending ending = new Ending();
    try (TunnelEnd end = TunnelEnd.open("shell", master.line(tunnel), ending)) {
      return ending.await(end);
    }
  }

  private int talk(MasterConnection master, long tunnel) throws IOException, InterruptedException {
    Ending ending = new Ending();
    try (Terminal terminal = Terminal.take();
        TunnelEnd end = TunnelEnd.open("shell", master.line(tunnel), ending)) {
      terminal.tellSizes(window -> send(end, window));
      Thread keys = new Thread(() -> type(end), "keys");
      keys.setDaemon(true);
      keys.start();
      return ending.await(end);
    }
  }

  private static void send(TunnelEnd end, Chunk.Window window) {
    try {
      end.send(window);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void type(TunnelEnd end) {
    Escape escape = new Escape();
    byte[] typed = new byte[4096];
    try {
      for (int length = in.read(typed);
          length >= 0 && !escape.leaves();
          length = escape.leaves() ? -1 : in.read(typed)) {
        byte[] passed = escape.pass(typed, length);
        end.send(passed, passed.length);
      }
    } catch (IOException e) {
      // the terminal is gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    end.close();
  }

  /** What the shell says, and how it ends. */
  private final class Ending implements TunnelEnd.Listener {
    private final AtomicReference<Chunk.End> last = new AtomicReference<>();
    private final CompletableFuture<String> broken = new CompletableFuture<>();

    @Override
    public void data(byte[] data) throws IOException {
      out.write(data, 0, data.length);
      if (out.checkError()) {
        throw new IOException("what it says can be written nowhere");
      }
    }

    @Override
    public void window(Chunk.Window window) {} // the terminal is here

    @Override
    public void ended(Chunk.End end) {
      last.set(end);
    }

    @Override
    public void closed(String why) {
      broken.complete(why);
    }

    /** Its exit code. */
    int await(TunnelEnd end) throws InterruptedException {
      end.awaitOther();
      Chunk.End said = last.get();
      if (said != null && said.exitCode() != null) {
        return said.exitCode();
      }
      err.println("tony shell: " + (said == null ? broken.join() : said.problem()) + "\r");
      return EXIT_BROKEN;
    }
  }
}
