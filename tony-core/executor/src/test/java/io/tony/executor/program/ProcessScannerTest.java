package io.tony.executor.program;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Real processes that come, go and move between two looks. */
public class ProcessScannerTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private RandomAccessFile go;
  private RandomAccessFile pipe;
  private ProcessGroup program;
  private ProcessScanner processes;

  @Before
  public void start() throws Exception {
    Path folder = temporary.getRoot().toPath();
    go = fifo(folder.resolve("go"));
    pipe = fifo(folder.resolve("pipe"));
    program = ProcessGroup.prepare(folder, folder);
    program.run("while read command < go; do eval \"$command\"; done", Map.of());
    processes = program.newScanner();
    run("echo $$ > pipe"); // its session has begun
  }

  /** Open at both ends, so that its readers wait where another writer has closed it. */
  private static RandomAccessFile fifo(Path path) throws Exception {
    NamedPipe.make(path);
    return new RandomAccessFile(path.toFile(), "rw");
  }

  @After
  public void kill() throws Exception {
    program.kill();
    go.close();
    pipe.close();
  }

  /** Has the program's shell run this, which writes the number of a process into the pipe. */
  private long run(String command) throws IOException {
    go.writeBytes(command + "\n");
    return Long.parseLong(pipe.readLine());
  }

  private Set<Long> look() throws IOException {
    return new HashSet<>(processes.scan().pids());
  }

  @Test
  public void shouldFindWhatHasStartedSinceTheLastLook() throws Exception {
    assertTrue(look().contains(program.pid()));

    long child = run("sleep 1000 & echo $! > pipe");

    assertTrue(look().contains(child));
  }

  @Test
  public void shouldFindWhatStaysInTheSessionWithoutItsParents() throws Exception {
    look();

    long orphan = run("( sleep 1000 & echo $! > pipe )");

    assertTrue(look().contains(orphan));
    assertTrue(look().contains(orphan));
  }

  @Test
  public void shouldFindTheChildrenOfWhatHasMovedToAnotherSession() throws Exception {
    look();

    long child = run("setsid --wait bash -c 'sleep 1000 & echo $! > pipe; wait' &");

    assertTrue(look().contains(child));
  }

  /** In a session of its own, and without its parent. */
  @Test
  public void shouldFindADaemonOfTheProgram() throws Exception {
    long daemon = run("(setsid bash -c 'echo $$ > pipe; sleep 1000; sleep 1000' &)");

    assertTrue(look().contains(daemon));
    assertTrue(look().contains(daemon));
  }

  @Test
  public void shouldFindADaemonThatHasComeBetweenTwoLooks() throws Exception {
    look();
    long daemon = run("(setsid bash -c 'echo $$ > pipe; sleep 1000; sleep 1000' &)");

    boolean found = false;
    for (int i = 0; i < 12; i++) {
      found |= look().contains(daemon);
    }

    assertTrue(found);
  }

  /** As those of a process do that gives itself another name. */
  @Test
  public void shouldKeepADaemonThatHasLostTheProgramsVariables() throws Exception {
    Path script = temporary.getRoot().toPath().resolve("daemon");
    Files.writeString(script, "echo $$ > pipe; sleep 1000; sleep 1000");
    long daemon = run("bash -c 'setsid env -i $BASH daemon & wait' & parent=$!");
    try {
      assertTrue(look().contains(daemon));

      run("kill -KILL $parent; wait $parent; echo 0 > pipe");

      assertTrue(look().contains(daemon));
    } finally {
      ProcessHandle.of(daemon).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  public void shouldCountNoStranger() throws Exception {
    Process stranger = new ProcessBuilder("sleep", "1000").start();
    try {
      for (int i = 0; i < 30; i++) {
        assertFalse(look().contains(stranger.pid()));
        assertFalse(look().contains(ProcessHandle.current().pid()));
      }
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  public void shouldForgetWhatHasEnded() throws Exception {
    long child = run("sleep 1000 & echo $! > pipe");
    assertTrue(look().contains(child));

    run("kill " + child + "; wait " + child + "; echo 0 > pipe");

    assertFalse(look().contains(child));
    assertTrue(look().contains(program.pid()));
  }
}
