package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Real programs that wait for ever in {@code stuck()}, once they have said so through a pipe. */
public class StackCollectorTest {
  private static final String STUCK =
      """
      import signal, sys, threading

      def beat():
          threading.Event().wait()

      def stuck():
          with open("pipe", "w") as pipe:
              pipe.write("up\\n")
          threading.Event().wait()

      threading.Thread(target=beat, daemon=True).start()
      if len(sys.argv) > 1:
          signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
      stuck()
      """;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private Path folder;
  private ProcessGroup program;

  @Before
  public void prepare() throws IOException, InterruptedException {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
    Files.writeString(folder.resolve("stuck.py"), STUCK);
  }

  @After
  public void kill() {
    program.kill();
  }

  /** Without any py-spy that this machine may have. */
  private void run(String command, String... environment) throws IOException {
    program = ProcessGroup.prepare(folder, folder);
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < environment.length; i += 2) {
      variables.put(environment[i], environment[i + 1]);
    }
    program.run(command, variables);
    try (BufferedReader pipe = Files.newBufferedReader(folder.resolve("pipe"))) {
      assertEquals("up", pipe.readLine());
    }
  }

  private Stack take(boolean hung) throws IOException, InterruptedException {
    return take(stacks(hung ? StackCollector.Purpose.HUNG : StackCollector.Purpose.PEER_HUNG));
  }

  private Stack take(StackCollector stacks) throws IOException, InterruptedException {
    return stacks.collect(program.newScanner().scan().pids());
  }

  private StackCollector stacks(StackCollector.Purpose purpose) {
    return new StackCollector(folder.resolve("stdout"), folder.resolve("stderr"), folder, purpose);
  }

  private String stderr() throws IOException {
    return Files.readString(folder.resolve("stderr"));
  }

  /** A program of the path that is named py-spy. */
  private String spy(String script) throws IOException {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path spy = Files.writeString(bin.resolve("py-spy"), "#!/bin/bash\n" + script);
    assertTrue(spy.toFile().setExecutable(true));
    return bin + ":/usr/bin:/bin";
  }

  private static void assertInStuck(Stack stack) {
    assertTrue(stack.toString(), stack.place().startsWith("stuck (stuck.py:"));
  }

  @Test
  public void shouldHaveAPythonThatHangsTellItsThreadsWithItsEnd() throws Exception {
    run("echo begun >&2; python3 stuck.py");

    assertInStuck(take(true));

    assertEquals(128 + 6, (int) program.ended().join());
    String stderr = stderr();
    assertTrue(stderr, stderr.startsWith("begun\n"));
    assertTrue(stderr, stderr.contains(" in stuck\n"));
    assertTrue(stderr, stderr.contains(" in beat\n"));
  }

  @Test
  public void shouldSeeAPythonThatGoesOnByPySpy() throws Exception {
    String path =
        spy(
            """
            echo 'Thread 7 (idle): "MainThread"'
            echo '    stuck (/x/stuck.py:9)'
            """);
    run("python3 stuck.py", "PATH", path);
    StackCollector stacks = stacks(StackCollector.Purpose.ON_DEMAND);

    assertInStuck(take(stacks));

    assertTrue(stacks.text(), stacks.text().contains("    stuck (/x/stuck.py:9)"));
    assertEquals("", stacks.problem());
    assertFalse("it is nothing that the program said", stderr().contains("stuck.py:9"));
    assertTrue("it goes on", program.isAlive());
  }

  @Test
  public void shouldSayWhyAPythonCannotBeSeenThatGoesOn() throws Exception {
    run("python3 stuck.py");
    StackCollector stacks = stacks(StackCollector.Purpose.ON_DEMAND);

    assertEquals(Stack.UNKNOWN, take(stacks));

    assertEquals(
        "only py-spy can show the stack of a Python that goes on: have it on the program's path",
        stacks.problem());
    assertTrue("it goes on", program.isAlive());
  }

  /** What it prints is for another program. */
  @Test
  public void shouldNotHaveAJvmPrintIntoAPipe() throws Exception {
    Files.writeString(
        folder.resolve("Cat.java"),
        """
        public class Cat {
          public static void main(String[] arguments) throws Exception {
            try (var pipe = new java.io.FileWriter("pipe")) { pipe.write("up\\n"); }
            Thread.sleep(600_000);
          }
        }
        """);
    run(System.getProperty("java.home") + "/bin/java Cat.java | cat > copied");
    StackCollector stacks = stacks(StackCollector.Purpose.ON_DEMAND);

    assertEquals(Stack.UNKNOWN, take(stacks));

    assertEquals(
        "the stdout of a JVM, where it would print its threads, goes elsewhere", stacks.problem());
    assertEquals(0, Files.size(folder.resolve("copied")));
  }

  @Test
  public void shouldSayThatAProgramIsNeitherAPythonNorAJvm() throws Exception {
    run("echo up > pipe; sleep 600");
    StackCollector stacks = stacks(StackCollector.Purpose.ON_DEMAND);

    assertEquals(Stack.UNKNOWN, take(stacks));

    assertEquals("none of its processes is a Python or a JVM", stacks.problem());
  }

  @Test
  public void shouldNotAbortAPythonThatWouldTellNothing() throws Exception {
    run("python3 stuck.py", "PYTHONFAULTHANDLER", "");

    assertFalse(take(true).isKnown());

    assertTrue(program.isAlive());
    assertEquals("", stderr());
  }

  /** It may want to save its state on SIGTERM. */
  @Test
  public void shouldNotAbortAPythonThatWaitsForAnotherAndHandlesItsEnd() throws Exception {
    run("exec python3 stuck.py handle");

    assertFalse(take(false).isKnown());

    program.stop(Duration.ofMinutes(1));
    assertEquals(3, (int) program.ended().join());
  }

  @Test
  public void shouldAbortAPythonThatWaitsForAnotherAndDoesNotHandleItsEnd() throws Exception {
    run("python3 stuck.py");

    assertInStuck(take(false));
  }

  @Test
  public void shouldReadThemByThePySpyOfTheProgramWithoutHarm() throws Exception {
    String path =
        spy(
            "echo 'Thread 7 (idle): \"MainThread\"'; echo '    stuck (/job/stuck.py:9)';"
                + " echo \"called for $4 by $NAME $TONY_EXECUTOR_TASK\"");
    run("python3 stuck.py", "PATH", path + ":" + System.getenv("PATH"), "NAME", "ada");

    assertEquals("stuck (stuck.py:9)", take(true).place());

    assertTrue(program.isAlive());
    String stderr = stderr();
    assertTrue(stderr, stderr.contains("printed by py-spy:\nThread 7 (idle)"));
    assertTrue(stderr, stderr.matches("(?s).*called for \\d+ by ada \n.*"));
  }

  @Test
  public void shouldSayWhyPySpyDoesNotTellThemAndGoTheOtherWay() throws Exception {
    String path = spy("echo 'Permission denied: no ptrace'; exit 1");
    run("python3 stuck.py", "PATH", path + ":" + System.getenv("PATH"));

    assertInStuck(take(true));

    String stderr = stderr();
    assertTrue(stderr, stderr.contains("py-spy: Permission denied: no ptrace\n"));
    assertTrue(stderr, stderr.contains(" in stuck\n"));
  }

  @Test
  public void shouldNotWaitForAPySpyThatHangs() throws Exception {
    String path = spy("exec sleep 1000");
    run("exec python3 stuck.py", "PATH", path + ":" + System.getenv("PATH"));

    long begun = System.nanoTime();
    assertInStuck(take(true));

    Duration taken = Duration.ofNanos(System.nanoTime() - begun);
    assertTrue(taken.toString(), taken.compareTo(StackCollector.LIMIT.plusSeconds(2)) < 0);
    assertTrue(stderr(), stderr().contains("py-spy: it did not end within "));
  }

  @Test
  public void shouldAskAJvmThatRunsOn() throws Exception {
    Files.writeString(
        folder.resolve("Stuck.java"),
        """
        public class Stuck {
          public static void main(String[] arguments) throws Exception {
            stuck();
          }

          static void stuck() throws Exception {
            java.nio.file.Files.writeString(java.nio.file.Path.of("pipe"), "up\\n");
            new java.util.concurrent.CountDownLatch(1).await();
          }
        }
        """);
    run("'" + System.getProperty("java.home") + "/bin/java' Stuck.java");

    Stack stack = take(true);

    assertTrue(stack.toString(), stack.place().startsWith("stuck (Stuck.java:"));
    assertTrue(program.isAlive());
    assertTrue(Files.readString(folder.resolve("stdout")).contains("Full thread dump"));
  }

  @Test
  public void shouldNotEndAJvmThatDoesNotTell() throws Exception {
    Files.writeString(
        folder.resolve("Stuck.java"),
        """
        public class Stuck {
          public static void main(String[] arguments) throws Exception {
            java.nio.file.Files.writeString(java.nio.file.Path.of("pipe"), "up\\n");
            new java.util.concurrent.CountDownLatch(1).await();
          }
        }
        """);
    run("'" + System.getProperty("java.home") + "/bin/java' -Xrs Stuck.java");

    assertFalse(take(true).isKnown());

    assertTrue(program.isAlive());
  }
}
