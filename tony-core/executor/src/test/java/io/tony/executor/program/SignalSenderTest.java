package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.tony.executor.NamedPipe;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Which processes of a program get the signal that asks for a checkpoint. */
public class SignalSenderTest {
  private static final int USR1 = 10;
  private static final int USR2 = 12;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private Path folder;
  private ProcessGroup program;

  @Before
  public void makePipe() throws Exception {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
  }

  @After
  public void kill() {
    program.kill();
  }

  /** Runs it until it has written to the pipe. */
  private void start(String command) throws IOException {
    program = ProcessGroup.prepare(folder, folder);
    program.run(command, Map.of());
    try (BufferedReader pipe = Files.newBufferedReader(folder.resolve("pipe"))) {
      pipe.readLine();
    }
  }

  private void send(int signal) throws IOException {
    SignalSender.send(signal, program.newScanner().scan().pids());
  }

  @Test
  public void shouldAskThoseThatHandleIt() throws Exception {
    start("sleep 1000 & trap 'kill $!; exit 3' USR2; echo > pipe; while :; do sleep 0.1; done");

    send(USR2);

    assertEquals(3, (int) program.ended().get(30, TimeUnit.SECONDS));
  }

  /** The shell around the program takes SIGUSR1 for the executor's order to end it. */
  @Test
  public void shouldNotBeTakenForTheEndOfTheProgramByTheShellAroundIt() throws Exception {
    // It ends itself as by SIGTERM, and something that it has started lives on.
    start("setsid sleep 1000 & trap 'exit 143' USR1; echo > pipe; while :; do sleep 0.1; done");

    send(USR1);

    assertEquals(143, (int) program.ended().get(30, TimeUnit.SECONDS));
  }

  /** A process that was forked has its parent's handlers until it executes its own program. */
  @Test
  public void shouldEndNoProcessThatIsAboutToBecomeAnotherProgram() throws Exception {
    start(
        "trap : USR2; echo > pipe; while [ ! -e enough ]; do sleep 0.002 || echo $? >> ended; done");

    for (int i = 0; i < 200; i++) {
      send(USR2);
    }
    Files.createFile(folder.resolve("enough"));

    assertEquals(0, (int) program.ended().get(30, TimeUnit.SECONDS));
    assertFalse(Files.exists(folder.resolve("ended")));
  }
}
