package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import io.tony.executor.ProcessWatch;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.ScarceKernel;
import io.tony.process.Spawner;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Real programs, and real signals to them. Programs tell through a named pipe where they are. */
public class ProcessGroupTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("PLAIN", "value"),
          Map.entry("EMPTY", ""),
          Map.entry("BLANKS", "  two  words\t"),
          Map.entry("QUOTES", "a 'single' and a \"double\" \\ back\\\\slash"),
          Map.entry("SHELL_CODE", "$HOME ${PATH} `id` $(id) ; & | > < * ? ! # ~ {a,b}"),
          Map.entry("LINES", "first\nsecond\r\n\nlast\n"),
          Map.entry("LETTERS", "äöü ß 漢字 🚀"),
          Map.entry("CONTROL", "\u0001\u0002\u001b[0m\u007f\u0080"),
          Map.entry("FUNCTION", "() { :; }; echo harm"),
          Map.entry("EQUALS", "a=b=c"),
          Map.entry("variables", "names of the script's own are the program's"),
          Map.entry("UID", "1000"), // a shell has these itself
          Map.entry("EUID", "1001"),
          Map.entry("GROUPS", "users"),
          Map.entry("SECONDS", "long ago"));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private Path folder;
  private final List<ProcessGroup> started = new ArrayList<>();
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
    started.forEach(ProcessGroup::kill);
    orphans.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
  }

  private ProcessGroup start(String command) throws IOException {
    return start(command, Map.of());
  }

  private ProcessGroup start(String command, Map<String, String> environment) throws IOException {
    return start(command, environment, ScarceKernel.ofPlenty());
  }

  private ProcessGroup start(String command, Map<String, String> environment, ScarceKernel kernel)
      throws IOException {
    ProcessGroup program = ProcessGroup.prepare(folder, folder, new Spawner(kernel));
    program.run(command, environment);
    started.add(program);
    return program;
  }

  private int exitCodeOf(String command) throws IOException {
    return start(command).ended().join();
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

  private String stdout() throws IOException {
    return Files.readString(folder.resolve("stdout"));
  }

  private String stderr() throws IOException {
    return Files.readString(folder.resolve("stderr"));
  }

  private void awaitEnd(long pid) throws InterruptedException {
    orphans.add(pid);
    ProcessWatch.awaitEnd(pid);
  }

  // ---- Exits ----

  @Test
  public void shouldReportTheProgramsExitCode() throws IOException {
    assertEquals(0, exitCodeOf("true"));
    assertEquals(7, exitCodeOf("exit 7"));
    assertEquals(255, exitCodeOf("exit 255"));
    assertEquals(127, exitCodeOf("no-such-program-anywhere"));
  }

  @Test
  public void shouldReportTheSignalThatEndedTheProgram() throws IOException {
    assertEquals(128 + 11, exitCodeOf("kill -SEGV $$"));
    assertEquals(128 + 9, exitCodeOf("kill -KILL $$"));
    assertEquals(128 + 15, exitCodeOf("kill -TERM $$"));
    assertEquals(128 + 6, exitCodeOf("bash -c 'kill -ABRT $$'"));
  }

  @Test
  public void shouldRunTheCommandLineAsItIsWritten() throws IOException {
    assertEquals(
        0, exitCodeOf("for i in 1 2; do echo \"n $i\"; done | tail -1 && echo 'it''s \"ü\"'"));

    assertEquals("n 2\nits \"ü\"\n", stdout());
  }

  @Test
  public void shouldRunACommandLineThatIsLongerThanAnArgumentMayBe() throws IOException {
    assertEquals(0, exitCodeOf("echo " + "x".repeat(300_000) + " | wc -c"));

    assertEquals("300001", stdout().strip());
  }

  @Test
  public void shouldKeepOutputAndErrorsApart() throws IOException {
    assertEquals(1, exitCodeOf("echo out; echo err >&2; exit 1"));

    assertEquals("out\n", stdout());
    assertEquals("err\n", stderr());
  }

  @Test
  public void shouldGiveTheProgramNothingToRead() throws IOException {
    assertEquals(0, exitCodeOf("cat; ! read -r -u 3 2>/dev/null"));
  }

  @Test
  public void shouldRunInASessionOfItsOwn() throws IOException {
    ProcessGroup program = start("ps -o pgid=,sid= -p $$");
    program.ended().join();

    assertEquals(
        List.of(Long.toString(program.pid()), Long.toString(program.pid())),
        List.of(stdout().strip().split("\\s+")));
  }

  /** It waits a day at a time. */
  @Test
  public void shouldLetAProgramRunOnForDays() throws Exception {
    Spawner days = new Spawner(new HastyKernel());
    ProcessGroup program = ProcessGroup.prepare(folder, folder, days);
    started.add(program);

    program.run("read -r end < pipe; sleep 1; exit 3", Map.of());
    Files.writeString(folder.resolve("pipe"), "end\n");

    assertEquals(3, (int) program.ended().join());
  }

  // ---- The environment ----

  @Test
  public void shouldPassValuesExactly() throws IOException {
    ProcessGroup program = start("env -0", VALUES);
    program.ended().join();

    assertValuesArrived();
  }

  @Test
  public void shouldPassValuesExactlyOnANodeWithoutALocale() throws Exception {
    for (Map.Entry<String, String> variable : VALUES.entrySet()) {
      Files.writeString(folder.resolve(variable.getKey()), variable.getValue());
    }

    Process executor = host("env -0", VALUES.keySet().toArray(String[]::new));

    assertEquals(0, executor.waitFor());
    assertValuesArrived();
  }

  private Process host(String command, String... variables) throws IOException {
    Process process = ProgramHost.start(folder, Map.of(), command, variables);
    hosts.add(process);
    return process;
  }

  private void assertValuesArrived() throws IOException {
    Map<String, String> seen =
        Arrays.stream(stdout().split("\0"))
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf('=')),
                    line -> line.substring(line.indexOf('=') + 1)));
    VALUES.forEach((name, value) -> assertEquals(name, value, seen.get(name)));
    assertFalse(
        seen.keySet().toString(),
        seen.keySet().stream().anyMatch(ExecutorSettings::isExecutorVariable));
    assertEquals("", stderr());
  }

  /** Which everybody on the node can read. */
  @Test
  public void shouldShowNoValueOnACommandLine() throws Exception {
    Path env = Files.createDirectory(folder.resolve("bin")).resolve("env");
    Files.writeString(
        env,
        "#!/bin/bash\nprintf '%s\\n' \"$@\" > '"
            + folder.resolve("shown")
            + "'\nPATH=${PATH#*:} exec env \"$@\"\n");
    assertTrue(env.toFile().setExecutable(true));
    Map<String, String> secrets =
        Map.of("DB_PASSWORD", "secret1", "token", "secret2", "name", "secret3", "UID", "77");
    for (Map.Entry<String, String> variable : secrets.entrySet()) {
      Files.writeString(folder.resolve(variable.getKey()), variable.getValue());
    }
    Process executor =
        ProgramHost.start(
            folder,
            Map.of("PATH", env.getParent() + ":" + System.getenv("PATH")),
            "echo $DB_PASSWORD $token $name",
            secrets.keySet().toArray(String[]::new));
    hosts.add(executor);

    assertEquals(0, executor.waitFor());

    assertEquals("secret1 secret2 secret3\n", stdout());
    String shown = Files.readString(folder.resolve("shown"));
    assertTrue(shown, shown.startsWith("UID=77\n"));
    assertFalse(shown, shown.contains("secret"));
  }

  /** Whatever a shell makes of some of them. */
  @Test
  public void shouldPassAllThatAShellTakesForItself() throws Exception {
    Map<String, String> environment =
        Map.ofEntries(
            Map.entry("BASHPID", "1"),
            Map.entry("BASH_VERSINFO", "0"),
            Map.entry("EUID", "1001"),
            Map.entry("GROUPS", "users"),
            Map.entry("IFS", ","),
            Map.entry("LINENO", "3"),
            Map.entry("OLDPWD", "/tmp"),
            Map.entry("OPTIND", "7"),
            Map.entry("POSIXLY_CORRECT", "1"),
            Map.entry("PPID", "7"),
            Map.entry("PWD", "/elsewhere"),
            Map.entry("RANDOM", "4"),
            Map.entry("SECONDS", "5"),
            Map.entry("SHLVL", "6"),
            Map.entry("TMOUT", "60"),
            Map.entry("UID", "1000"),
            Map.entry("_", "underscore"));
    Path file = Files.writeString(folder.resolve("plain.sh"), "env -0\n");
    ProcessBuilder plain =
        new ProcessBuilder("setsid", "bash", file.toString())
            .directory(folder.toFile())
            .redirectOutput(folder.resolve("plain").toFile());
    plain.environment().putAll(environment);
    plain.environment().put("PYTHONFAULTHANDLER", "1");

    int code = start("env -0", environment).ended().join();

    assertEquals(0, plain.start().waitFor());
    assertEquals(0, code);
    Set<String> seen = new TreeSet<>(List.of(stdout().split("\0", -1)));
    assertTrue(seen.removeIf(variable -> variable.startsWith("TONY_PROGRAM_ID=")));
    assertEquals(
        new TreeSet<>(List.of(Files.readString(folder.resolve("plain")).split("\0", -1))), seen);
  }

  @Test
  public void shouldPassAVariableAsLongAsLinuxTakes() throws IOException {
    ProcessGroup program = start("echo ${#LONG}", Map.of("LONG", "x".repeat(128 * 1024 - 6)));
    program.ended().join();

    assertEquals("131066\n", stdout());
  }

  @Test
  public void shouldLetAValueOverrideTheExecutorsOwn() throws IOException {
    ProcessGroup program = start("printf %s \"$HOME\"", Map.of("HOME", "/elsewhere"));
    program.ended().join();

    assertEquals("/elsewhere", stdout());
  }

  // ---- Ends ----

  // A shell takes up a signal that comes just before a command when the command has ended: it is to
  // wait for its sleep, which a signal interrupts, and not to run it.

  @Test
  public void shouldKillWhatAProgramThatEndedLeftBehind() throws Exception {
    ProcessGroup program = start("sleep 1000 & echo $! > pipe; read -r end < pipe; exit 3");
    long child = Long.parseLong(told());
    assertTrue(ProcessWatch.running(child));
    Files.writeString(folder.resolve("pipe"), "end\n");

    assertEquals(3, (int) program.ended().join());
    awaitEnd(child);
  }

  @Test
  public void shouldLetAProgramEndInOrder() throws Exception {
    ProcessGroup program =
        start(
            "trap 'echo saved; exit 5' TERM; echo ready > pipe;" + " while :; do sleep 0.1; done");
    told();

    program.stop(LONG);

    assertEquals(5, (int) program.ended().join());
    assertEquals("saved\n", stdout());
  }

  @Test
  public void shouldEndAProgramThatDoesNotMindASignal() throws Exception {
    ProcessGroup program = start("sleep 1000 & echo $! > pipe; wait");
    long child = Long.parseLong(told());

    program.stop(LONG);

    assertEquals(128 + 15, (int) program.ended().join());
    awaitEnd(child);
  }

  @Test
  public void shouldKillAProgramThatIgnoresTheSignalWhenItsGraceIsOver() throws Exception {
    ProcessGroup program =
        start("trap '' TERM; sleep 1000 & echo $! > pipe; while :; do wait; done");
    long child = Long.parseLong(told());

    program.stop(Duration.ofMillis(100));

    assertEquals(128 + 9, (int) program.ended().join());
    awaitEnd(child);
  }

  /** As with {@code python3 train.py}: the shell is gone at once. */
  @Test
  public void shouldLetWhatAShellHasStartedEndInOrder() throws Exception {
    ProcessGroup program =
        start(
            "bash -c 'trap \"sleep 0.5; echo saved; exit\" TERM; echo > pipe;"
                + " while :; do sleep 0.1; done'; echo goes on");
    told();

    program.stop(LONG);

    assertEquals(128 + 15, (int) program.ended().join());
    assertEquals("saved\n", stdout());
  }

  @Test
  public void shouldKillWhatAShellHasStartedWhenItsGraceIsOver() throws Exception {
    ProcessGroup program =
        start("(trap '' TERM; echo $BASHPID > pipe; while :; do sleep 1; done) & wait");
    long child = Long.parseLong(told());

    program.stop(Duration.ofMillis(100));

    int code = program.ended().join();
    assertTrue("its shell's, or the kill's " + code, code == 128 + 15 || code == 128 + 9);
    awaitEnd(child);
  }

  /** Nobody has told it to end, and so nobody would end what is left of it. */
  @Test
  public void shouldKillWhatAShellHasStartedThatEndsItsOwnGroup() throws Exception {
    ProcessGroup program =
        start(
            "mkfifo go; (trap '' TERM; echo $BASHPID > pipe; while :; do sleep 1; done) &"
                + " read -r go < go; kill -TERM 0");
    long child = Long.parseLong(told());
    Files.writeString(folder.resolve("go"), "now\n");

    assertEquals(128 + 15, (int) program.ended().join());
    awaitEnd(child);
  }

  @Test
  public void shouldEndWhatAProgramThatEndsInOrderLeavesBehind() throws Exception {
    ProcessGroup program =
        start(
            "trap 'exit 5' TERM; (trap '' TERM; echo $BASHPID > pipe; while :; do sleep 1; done) &"
                + " wait");
    long child = Long.parseLong(told());

    program.stop(LONG);

    assertEquals(5, (int) program.ended().join());
    awaitEnd(child);
  }

  /** As the workers of torchrun do; this one has lost its parent, too. */
  @Test
  public void shouldKillAWorkerThatMovedToASessionOfItsOwn() throws Exception {
    ProcessGroup program =
        start(
            "mkfifo end;"
                + " (setsid bash -c 'trap \"\" TERM; sleep 1000 & echo $$ $! > pipe; wait; wait' &);"
                + " read -r end < end");
    String[] worker = told().split(" ", -1);
    Files.writeString(folder.resolve("end"), "now\n");

    program.ended().join();

    for (String pid : worker) {
      awaitEnd(Long.parseLong(pid));
    }
  }

  @Test
  public void shouldKillNoProcessOfAnotherProgram() throws Exception {
    ProcessGroup other = start("echo $$ > pipe; exec sleep 1000");
    long pid = Long.parseLong(told());

    start("true").ended().join();

    assertTrue(ProcessWatch.running(pid));
    other.stop(LONG);
    assertEquals(128 + 15, (int) other.ended().join());
  }

  // ---- No process and no thread can be had any more ----

  private static final int FOR_EVER = Integer.MAX_VALUE / 2;

  private static final String STUBBORN =
      "trap '' TERM; setsid bash -c 'trap \"\" TERM; echo $$ > pipe; while :; do sleep 1; done' & wait";

  @Test
  public void shouldKillAProgramThatHasUsedUpAllProcesses() throws Exception {
    ProcessGroup program = start(STUBBORN, Map.of(), ScarceKernel.withoutProcesses(3, FOR_EVER));
    long far = Long.parseLong(told());

    program.stop(Duration.ofMillis(100));

    assertEquals(128 + 9, (int) program.ended().join());
    awaitEnd(far);
  }

  @Test
  public void shouldLetAProgramEndInOrderThatHasUsedUpAllProcesses() throws Exception {
    ProcessGroup program =
        start(
            "trap 'echo saved; exit 5' TERM; echo ready > pipe; while :; do sleep 0.1; done",
            Map.of(),
            ScarceKernel.withoutProcesses(3, FOR_EVER));
    told();

    program.stop(LONG);

    assertEquals(5, (int) program.ended().join());
    assertEquals("saved\n", stdout());
  }

  @Test
  public void shouldTellTheEndOfAProgramThatHasUsedUpAllThreads() throws Exception {
    ProcessGroup program =
        start(
            "setsid sleep 1000 & echo $! > pipe; read -r end < pipe; exit 3",
            Map.of(),
            ScarceKernel.withoutThreads(2, FOR_EVER));
    long far = Long.parseLong(told());
    Files.writeString(folder.resolve("pipe"), "end\n");

    assertEquals(3, (int) program.ended().join());
    awaitEnd(far);
  }

  /** Without it nobody would see to the program's end. */
  @Test
  public void shouldLeaveNothingOfAProgramForWhichThereIsNoThread() throws Exception {
    assertThrows(
        IOException.class, () -> start("true", Map.of(), ScarceKernel.withoutThreads(1, FOR_EVER)));

    while (ProcessHandle.current()
        .children()
        .anyMatch(child -> child.info().commandLine().orElse("").contains(folder.toString()))) {
      Thread.sleep(5); // nobody tells
    }
  }

  /** Its own shell's; a shell of the program's may well say what became of the program. */
  @Test
  public void shouldKeepTheShellsWordsOutOfTheProgramsStderr() throws Exception {
    ProcessGroup program =
        start("echo 'the last line' >&2; trap '' TERM; echo > pipe; while :; do sleep 1000; done");
    told();

    program.stop(Duration.ofMillis(50));

    assertEquals(128 + 9, (int) program.ended().join());
    assertEquals(128 + 9, exitCodeOf("kill -KILL $$"));
    assertEquals(128 + 6, exitCodeOf("kill -ABRT $$"));
    assertEquals("the last line\n", stderr());
  }

  // ---- Signs of life ----

  private static Duration cpuOf(ProcessGroup program) throws IOException {
    return program.newScanner().scan().cpu();
  }

  @Test
  public void shouldSeeWhetherAProgramComputes() throws Exception {
    ProcessGroup busy = start("echo > pipe; while :; do :; done");
    told();
    ProcessGroup asleep = start("echo > pipe; sleep 1000");
    told();
    Duration atFirst = cpuOf(asleep);
    while (cpuOf(busy).compareTo(Duration.ofMillis(500)) < 0) {
      Thread.onSpinWait(); // the program is the clock
    }

    Duration used = cpuOf(asleep).minus(atFirst);
    assertTrue(used.toString(), used.compareTo(Duration.ofMillis(20)) <= 0);
  }

  @Test
  public void shouldCountAWorkerThatMovedToASessionOfItsOwn() throws Exception {
    ProcessGroup program =
        start("setsid bash -c 'echo $$ > pipe; while :; do :; done' & wait; sleep 1000");
    orphans.add(Long.parseLong(told()));

    while (cpuOf(program).compareTo(Duration.ofMillis(300)) < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  public void shouldNotDieOfAVariableThatLimitsTheShellsPatience() throws Exception {
    ProcessGroup program = start("echo $$ > pipe; sleep 1.5; exit 4", Map.of("TMOUT", "1"));
    told();
    program.ended().join();

    assertEquals(4, (int) program.ended().join());
  }
}
