package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import io.tony.executor.ProcessWatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * No program outlives its executor, however that ends. Programs tell through a named pipe where
 * they are.
 */
public class LifelineTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private Path folder;
  private ProcessGroup started;
  private final List<Process> hosts = new ArrayList<>();
  private final List<Long> orphans = new ArrayList<>();

  @Before
  public void makePipe() throws IOException, InterruptedException {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
  }

  @After
  public void killWhatIsLeft() {
    hosts.forEach(Process::destroyForcibly);
    if (started != null) {
      started.kill();
    }
    orphans.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
  }

  private ProcessGroup start(String command) throws IOException {
    started = ProcessGroup.prepare(folder, folder);
    started.run(command, Map.of());
    return started;
  }

  private Process host(String command, String... variables) throws IOException {
    return host(Map.of(), command, variables);
  }

  private Process host(Map<String, String> environment, String command, String... variables)
      throws IOException {
    Process process = ProgramHost.start(folder, environment, command, variables);
    hosts.add(process);
    return process;
  }

  /** Waits until a program has written a line to the pipe, and gives the line. */
  private String told() throws IOException {
    String line = null;
    while (line == null) { // at once at its end where the last one who wrote had yet to close it
      try (BufferedReader pipe = Files.newBufferedReader(folder.resolve("pipe"))) {
        line = pipe.readLine();
      }
    }
    return line;
  }

  private void awaitEnd(long pid) throws InterruptedException {
    orphans.add(pid);
    ProcessWatch.awaitEnd(pid);
  }

  @Test
  public void shouldDieWithAnExecutorThatIsKilled() throws Exception {
    Process executor = host("sleep 1000 & echo $$ $! > pipe; wait");
    String[] pids = told().split(" ", -1);

    executor.destroyForcibly().waitFor();

    for (String pid : pids) {
      awaitEnd(Long.parseLong(pid));
    }
  }

  @Test
  public void shouldWaitForItsProgramLongerThanAShellHasPatience() throws Exception {
    host(Map.of("TMOUT", "1"), "");
    long pid = Long.parseLong(told());

    Thread.sleep(1_500);

    assertTrue(ProcessWatch.running(pid));
  }

  @Test
  public void shouldDieWithAnExecutorThatIsKilledBeforeItsProgramRuns() throws Exception {
    Process executor = host("");
    long pid = Long.parseLong(told());

    executor.destroyForcibly().waitFor();

    awaitEnd(pid);
  }

  @Test
  public void shouldTakeAWorkerInASessionOfItsOwnAlongWhenTheExecutorIsKilled() throws Exception {
    Process executor = host("setsid bash -c 'echo $$ > pipe; sleep 1000; sleep 1000' & wait");
    long worker = Long.parseLong(told());

    executor.destroyForcibly().waitFor();

    awaitEnd(worker);
  }

  /** It means something to the shells that look for it. */
  @Test
  public void shouldTakeAWorkerAlongWhateverVariablesTheProgramHas() throws Exception {
    Files.writeString(folder.resolve("IFS"), ",");
    Files.writeString(folder.resolve("GREP_OPTIONS"), "-v");
    Process executor =
        host(
            "setsid bash -c 'echo $$ > pipe; sleep 1000; sleep 1000' & wait",
            "IFS",
            "GREP_OPTIONS");
    long worker = Long.parseLong(told());

    executor.destroyForcibly().waitFor();

    awaitEnd(worker);
  }

  @Test
  public void shouldDieWithAnExecutorThatIsKilledWhateverSignalsItHasSentToItsGroup()
      throws Exception {
    Process executor =
        host(
            "for ((n = 1; n <= 64; n++)); do trap : $n; done 2>/dev/null;"
                + " for ((n = 1; n <= 64; n++)); do ((n == 9 || n == 19)) || kill -$n 0; done 2>/dev/null;"
                + " echo $$ > pipe; while :; do sleep 0.1; done");
    long pid = Long.parseLong(told());

    executor.destroyForcibly().waitFor();

    awaitEnd(pid);
  }

  private static List<ProcessHandle> lifelines(ProcessGroup program) {
    return ProcessHandle.current()
        .children()
        .filter(
            child -> child.info().commandLine().orElse("").contains("lifeline.sh " + program.pid()))
        .toList();
  }

  @Test
  public void shouldKeepItsLifelineWhateverSignalThatGets() throws Exception {
    ProcessGroup program = start("setsid sleep 1000 & echo $! > pipe; read -r end < pipe");
    long worker = Long.parseLong(told());
    ProcessHandle lifeline = lifelines(program).get(0);
    String kill = "for ((n = 1; n <= 64; n++)); do ((n == 9 || n == 19)) || kill -$n \"$1\"; done";

    ProcessGroup.runBash(kill, Long.toString(lifeline.pid()));

    assertTrue(ProcessWatch.running(lifeline.pid()));
    program.kill();
    assertEquals(128 + 9, (int) program.ended().join());
    awaitEnd(worker);
  }

  @Test
  public void shouldKillWhatAProgramLeftBehindWhenItsLifelineIsGone() throws Exception {
    ProcessGroup program = start("setsid sleep 1000 & echo $! > pipe; read -r end < pipe; exit 3");
    long worker = Long.parseLong(told());
    lifelines(program).forEach(ProcessHandle::destroyForcibly);
    Files.writeString(folder.resolve("pipe"), "end\n");

    assertEquals(3, (int) program.ended().join());
    awaitEnd(worker);
  }

  /** As one does that hangs in the kernel; it may be another job's. */
  @Test
  public void shouldKillAProgramThoughAProcessCannotBeLookedAt() throws Exception {
    Process stuck = new ProcessBuilder("sleep", "1000").start();
    hosts.add(stuck);
    Path grep = Files.createDirectory(folder.resolve("bin")).resolve("grep");
    Path file = Files.writeString(folder.resolve("stuck"), "");
    Files.writeString(
        grep,
        "#!/bin/bash\nfor file; do if [[ $file == /proc/"
            + stuck.pid()
            + "/environ ]]; then while [[ -e "
            + file
            + " ]]; do sleep 0.1; done; fi; done\nPATH=${PATH#*:} exec grep \"$@\"\n");
    assertTrue(grep.toFile().setExecutable(true));
    Process executor =
        host(
            Map.of("PATH", grep.getParent() + ":" + System.getenv("PATH")),
            "setsid sleep 1000 & echo $! $$ > pipe; wait");
    String[] pids = told().split(" ", -1);

    executor.destroyForcibly().waitFor();

    awaitEnd(Long.parseLong(pids[1]));
    awaitEnd(Long.parseLong(pids[0]));
    assertTrue(ProcessWatch.running(stuck.pid()));
  }

  /** The shell is gone at once, and the executor while that which it has started still ends. */
  @Test
  public void shouldDieWithAnExecutorThatIsKilledWhileWhatAShellHasStartedEnds() throws Exception {
    Process executor =
        host(
            "bash -c 'trap \"echo $$ ending > pipe; sleep 1000\" TERM; echo ready > pipe;"
                + " while :; do sleep 0.1; done'; echo goes on");
    assertEquals("ready", told());
    executor.getOutputStream().write('\n');
    executor.getOutputStream().flush();
    String[] ending = told().split(" ", -1);
    assertEquals("ending", ending[1]);
    assertTrue(ProcessWatch.running(Long.parseLong(ending[0])));

    executor.destroyForcibly().waitFor();

    awaitEnd(Long.parseLong(ending[0]));
  }

  /** As with its whole machine, for longer than its grace. */
  @Test
  public void shouldNotCountAPauseAsTimeToSave() throws Exception {
    Process executor =
        host(
            "trap 'echo saving > pipe; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done;"
                + " echo saved; exit 5' TERM; echo $$ > pipe; while :; do sleep 0.1; done");
    String pid = told();
    executor.getOutputStream().write('4');
    executor.getOutputStream().flush();
    assertEquals("saving", told());

    ProcessGroup.runBash(
        "kill -STOP -- $1 -$2; sleep 6; kill -CONT $1; kill -CONT -- -$2",
        Long.toString(executor.pid()),
        pid);

    assertEquals(5, executor.waitFor());
    assertEquals("saved\n", Files.readString(folder.resolve("stdout")));
  }

  /** YARN sends SIGTERM to the executor, and SIGKILL a moment later. */
  @Test
  public void shouldDieWithAnExecutorThatIsKilledWhileTheProgramEnds() throws Exception {
    Process executor =
        host(
            "trap 'echo $$ ending > pipe' TERM; echo ready > pipe;"
                + " while :; do sleep 0.1; done");
    assertEquals("ready", told());
    executor.getOutputStream().write('\n');
    executor.getOutputStream().flush();
    String[] ending = told().split(" ", -1);

    executor.destroyForcibly().waitFor();

    awaitEnd(Long.parseLong(ending[0]));
  }
}
