package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
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
public class ProgramProcessesTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(30);

  private Path folder;
  private UserProcess program;
  private ProgramProcesses processes;

  @Before
  public void start() throws Exception {
    folder = temporary.getRoot().toPath();
    for (String pipe : new String[] {"pipe", "go"}) {
      assertEquals(
          0, new ProcessBuilder("mkfifo", folder.resolve(pipe).toString()).start().waitFor());
    }
    program =
        UserProcess.start(
            "while read command < go; do eval \"$command\"; done", Map.of(), folder, folder);
    processes = new ProgramProcesses(program.pid());
    run("echo $$ > pipe"); // its session has begun
  }

  @After
  public void kill() {
    program.kill();
  }

  /** Has the program's shell run this, which writes the number of a process into the pipe. */
  private long run(String command) throws IOException {
    Files.writeString(folder.resolve("go"), command + "\n");
    try (BufferedReader pipe = Files.newBufferedReader(folder.resolve("pipe"))) {
      return Long.parseLong(pipe.readLine());
    }
  }

  private Set<Long> look() throws IOException {
    return new HashSet<>(processes.look().pids());
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
