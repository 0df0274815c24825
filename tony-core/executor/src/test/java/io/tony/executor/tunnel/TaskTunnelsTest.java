package io.tony.executor.tunnel;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.executor.InProcessExecutor;
import io.tony.executor.ProcessWatch;
import io.tony.executor.ServedMaster;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.StackReport;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** What clients want of a task beside its program: shells, connections and its stacks. */
public class TaskTunnelsTest extends InProcessExecutor {
  private final List<Long> shells = new ArrayList<>();
  private long program;

  private void startProgramThatLasts(String... environment) throws Exception {
    registered(1);
    master.start(1, "exec sleep 1000", environment);
    program = started(1);
  }

  private void awaitNoShell() throws InterruptedException {
    for (long pid : shells) {
      ProcessWatch.awaitEnd(pid);
    }
  }

  @Test
  public void shouldRunACommandBesideItsProgram() throws Exception {
    live();
    startProgramThatLasts("GREETING", "grüß Gott, $USER");

    master.open(1, ServedMaster.running("cat; echo \"$GREETING here\"; echo problem >&2; exit 7"));

    Chunk end = master.hearEnd();
    assertEquals("grüß Gott, $USER here\nproblem\n", end.getData().toStringUtf8());
    assertEquals(7, end.getExitCode());
    assertFalse("its program goes on", master.toldMore());
    assertTrue(Files.exists(folder.resolve(".tony/shell-1700000000000.sh")));
    master.closeTunnel();
    while (Files.exists(folder.resolve(".tony/shell-1700000000000.sh"))) {
      Thread.sleep(5); // nobody tells
    }
  }

  @Test
  public void shouldLeaveNothingOfAShellThatIsClosed() throws Exception {
    live();
    startProgramThatLasts();
    shells.addAll(master.openShellWithProcesses());

    master.closeTunnel();

    awaitNoShell();
    assertTrue("its program goes on", ProcessWatch.running(program));
  }

  @Test
  public void shouldLeaveNothingOfAShellWhenTheTaskIsStopped() throws Exception {
    live();
    startProgramThatLasts();
    shells.addAll(master.openShellWithProcesses());

    master.stop(1);

    end.get();
    awaitNoShell();
  }

  @Test
  public void shouldSayWhyThereIsNoShellYet() throws Exception {
    live();
    master.next(RegisterRequest.class);

    master.open(1, ServedMaster.running("exit 0"));

    Chunk end = master.hearEnd();
    assertFalse(end.hasExitCode());
    assertEquals(
        "the task's program has not been started yet: try again when it runs", end.getProblem());
  }

  @Test
  public void shouldConnectToThePortOfItsProgram() throws Exception {
    live();
    int port = master.next(RegisterRequest.class).getPort();
    master.start(1, "exec sleep 1000");
    started(1);
    OpenTunnel tunnel = OpenTunnel.newBuilder().setTunnel(1).build();
    try (ServerSocket program = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      master.open(1, tunnel);
      try (Socket connection = program.accept()) {
        master.send("GET /");
        assertEquals(
            "GET /", new String(connection.getInputStream().readNBytes(5), StandardCharsets.UTF_8));
        connection.getOutputStream().write("200 OK".getBytes(StandardCharsets.UTF_8));
        master.hear("200 OK");
        master.send(Chunk.newBuilder().setEnd(true));
        assertEquals("what the client says ends", -1, connection.getInputStream().read());
        connection.getOutputStream().write("bye".getBytes(StandardCharsets.UTF_8));
      }
      assertEquals("bye", master.hearEnd().getData().toStringUtf8());
    }

    master.open(1, tunnel.toBuilder().setTunnel(2).build());

    String problem = master.hearEnd().getProblem();
    assertTrue(problem, problem.startsWith("nothing can be reached at port " + port));
  }

  @Test
  public void shouldGiveAShellATerminalOfItsClientsSize() throws Exception {
    live();
    startProgramThatLasts();
    master.openTerminal();

    master.send("exit 5\n");

    assertEquals(5, master.hearEnd().getExitCode());
  }

  /** The name goes into the environment of the shell. */
  @Test
  public void shouldTakeATerminalWithAStrangeNameForADumbOne() throws Exception {
    live();
    startProgramThatLasts();

    master.open(
        1,
        ServedMaster.shell(
            Shell.newBuilder().setTerminal("$(id)").setWindow(ServedMaster.window(0, -1))));

    master.send("echo $TERM of $(stty size)\n");
    master.hear("dumb of 24 80\r\n");
    master.send("exit\n");
    master.hearEnd();
  }

  @Test
  public void shouldSayWhereTheProgramIsWhereItHasOne() throws Exception {
    live();
    registered(1);
    master.askForStacks(1, 1);
    StackReport none = master.next(HeartbeatRequest.class).getStacks();
    assertEquals(1, none.getQuestion());
    assertEquals("no program of it runs", none.getProblem());

    master.start(1, "exec python3 -c 'import time; time.sleep(1000)'");
    started(1);
    master.askForStacks(1, 2);

    StackReport there = master.next(HeartbeatRequest.class).getStacks();
    assertEquals(2, there.getQuestion());
    assertFalse(there.getProblem(), there.getPlace().isEmpty() && there.getProblem().isEmpty());
    master.stop(1);
    exited(1);
    assertEnded();
  }
}
