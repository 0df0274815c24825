package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.ProgramSignal;
import io.tony.protocol.proto.TonyProtos.ContainerHold;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.junit.Test;

/** The life of an executor with a real server, and with real programs that tell by a pipe. */
public class ExecutorLoopTest extends InProcessExecutor {
  // ---- One attempt ----

  @Test
  public void shouldLiveFromRegistrationToTheStopAfterItsReport() throws Exception {
    live();
    RegisterRequest registration = registered(1);
    assertEquals("127.0.0.1", registration.getHost());
    assertNotEquals(registration.getPort(), registration.getTensorboardPort());
    assertFalse(master.toldMore());

    master.start(
        1,
        "echo $GREETING; echo 1/2 > $TONY_PROGRESS_FILE; echo one >&2; echo two >&2; echo > pipe;"
            + " read -r x < pipe; printf 2/2 >> $TONY_PROGRESS_FILE; echo three >&2;"
            + " echo auc=0.9 > $TONY_OUTPUT_FILE; exit 3",
        "GREETING",
        "hello");
    started(1);
    told();
    assertEquals("1/2", master.next(HeartbeatRequest.class).getProgress());
    Files.writeString(folder.resolve("pipe"), "\n");

    ExitedRequest exit = exited(1);
    assertFalse(exit.hasHangLocation());
    assertEquals("2/2", exit.getProgress());
    assertEquals(3, exit.getExitCode());
    assertEquals("two\nthree", exit.getStderrTail());
    assertEquals(outputs("auc", "0.9"), exit.getOutputsList());
    assertEquals("", exit.getExecutorMessage());
    assertFalse(exit.getTimedOut() || exit.getPortTaken());
    assertEquals("hello\n", Files.readString(folder.resolve("stdout")));
    assertFalse(end.isDone());
    master.stop(1);
    assertEnded();
  }

  @Test
  public void shouldCheckTheContainerBeforeItRegisters() throws Exception {
    preflight =
        new ExecutorSettings.Preflight("echo > pipe; read -r x < pipe", Duration.ofMinutes(1), 0);
    live();
    told();
    assertFalse("nobody is to count on it yet", master.toldMore());
    Files.writeString(folder.resolve("pipe"), "\n");

    registered(1);
    master.start(1, "true");
    started(1);
    assertEquals(0, exited(1).getExitCode());
    master.stop(1);
    assertEnded();
  }

  @Test
  public void shouldEndOnANodeWithoutTheInterfaceThatTheJobNames() throws Exception {
    networkInterface = "bond77";
    live();

    ExitedRequest exit = exited(1);

    assertTrue(exit.getPreflightFailed());
    assertTrue(
        exit.getExecutorMessage(),
        exit.getExecutorMessage().startsWith("this node has no network interface bond77"));
    assertEnded();
  }

  @Test
  public void shouldEndInAContainerThatIsNotFit() throws Exception {
    preflight = new ExecutorSettings.Preflight("echo no GPU >&2; exit 4", Duration.ofMinutes(1), 0);
    live();

    ExitedRequest exit = exited(1);

    assertTrue(exit.getPreflightFailed());
    assertEquals("exit code 4: no GPU", exit.getExecutorMessage());
    assertEnded();
  }

  @Test
  public void shouldEndWhenItIsStoppedBeforeTheStart() throws Exception {
    live();
    registered(1);
    long shell = awaitShell();

    master.stop(1);

    assertEquals(128 + 15, exited(1).getExitCode());
    assertEnded();
    ProcessWatch.awaitEnd(shell);
  }

  @Test
  public void shouldEndTheShellThatWaitsOnASignal() throws Exception {
    ExecutorLoop life = live();
    registered(1);
    long shell = awaitShell();

    life.terminate(Duration.ofSeconds(30));

    assertFalse(ProcessWatch.running(shell));
  }

  @Test
  public void shouldRunTheProgramWhenTheShellThatWaitedForItHasGone() throws Exception {
    live();
    registered(1);
    ProcessHandle shell = ProcessHandle.of(awaitShell()).orElseThrow();
    shell.destroyForcibly();
    ProcessWatch.awaitEnd(shell.pid());
    while (shell.isAlive()) { // until this JVM knows it as well
      Thread.sleep(5);
    }

    master.start(1, "exit 3");

    started(1);
    assertEquals(3, exited(1).getExitCode());
  }

  @Test
  public void shouldRunTheProgramInAShellThatHasWaitedForIt() throws Exception {
    live();
    registered(1);
    long shell = awaitShell();
    master.start(1, "exit 3");
    assertEquals(shell, started(1));
    assertEquals(3, exited(1).getExitCode());

    master.restart(1, 2);
    registered(2);
    long next = awaitShell();
    master.start(2, "exit 4");
    assertEquals(next, started(2));
    assertEquals(4, exited(2).getExitCode());
  }

  @Test
  public void shouldEndTheProgramWhenItIsStopped() throws Exception {
    live();
    registered(1);
    master.start(1, "trap 'exit 5' TERM; echo $$ > pipe; while :; do sleep 0.1; done");
    started(1);
    long pid = Long.parseLong(told());

    master.stop(1);

    assertEquals(5, exited(1).getExitCode());
    assertEnded();
    ProcessWatch.awaitEnd(pid);
  }

  @Test
  public void shouldLetTheProgramEndOnASignal() throws Exception {
    ExecutorLoop life = live();
    registered(1);
    master.start(1, "trap 'echo saved; exit 3' TERM; echo > pipe; while :; do sleep 0.1; done");
    started(1);
    told();

    life.terminate(Duration.ofSeconds(30));

    assertEquals("saved\n", Files.readString(folder.resolve("stdout")));
  }

  @Test
  public void shouldReportThatItsFilesCannotBePreparedAndTryThemAgain() throws Exception {
    Path archive = folder.resolve(ExecutorSettings.SOURCE_ARCHIVE);
    Files.writeString(archive, "no archive");
    live();
    registered(1);
    ExitedRequest exit = exited(1);
    assertEquals(1, exit.getExitCode());
    assertTrue(
        exit.getExecutorMessage(),
        exit.getExecutorMessage().startsWith("its files cannot be prepared: "));

    Files.delete(archive);
    master.restart(1, 2);
    registered(2);
    master.start(2, "exit 4");

    started(2);
    assertEquals(4, exited(2).getExitCode());
  }

  /** Of each attempt's own program. */
  @Test
  public void shouldTellWithItsHeartbeatsWhatTheProgramUses() throws Exception {
    live();
    registered(1);
    master.start(1, "exec python3 -c 'held = b\"x\" * (100 << 20); input()' 0<> pipe");
    started(1);
    Sample sample = master.nextSample();
    while (sample.getMemoryMib() < 100) {
      sample = master.nextSample();
    }
    assertTrue(sample.toString(), sample.getPeakMib() >= sample.getMemoryMib());
    assertTrue(sample.toString(), sample.getExecutorMib() > 20);
    assertTrue(sample.toString(), sample.getSpanMs() > 0);
    assertFalse(sample.hasGpuPercent());

    Files.writeString(folder.resolve("pipe"), "\n");
    exited(1);
    master.restart(1, 2);
    registered(2);
    master.start(2, "read -r x < pipe");
    started(2);
    while (sample.getPeakMib() >= 100) {
      sample = master.nextSample();
    }
    Files.writeString(folder.resolve("pipe"), "\n");
    exited(2);
  }

  // ---- Restart in place ----

  @Test
  public void shouldRegisterAgainWhenItIsRestartedBeforeTheStart() throws Exception {
    live();
    int port = registered(1).getPort();

    master.restart(1, 4);

    assertEquals(port, registered(4).getPort());
    master.start(4, "exit 0");
    started(4);
    assertEquals(0, exited(4).getExitCode());
    master.stop(4);
    assertEnded();
  }

  /** Its program ends in order, with a code of its own, and that is nobody's concern any more. */
  @Test
  public void shouldEndARunningProgramAndStartTheNext() throws Exception {
    live();
    int port = registered(1).getPort();
    master.start(1, "trap 'exit 5' TERM; echo $$ > pipe; while :; do sleep 0.1; done");
    long first = started(1);
    long pid = Long.parseLong(told());

    master.restart(1, 2);

    assertEquals(port, registered(2).getPort());
    ProcessWatch.awaitEnd(pid);
    master.start(2, "exit 6");
    assertNotEquals(first, started(2));
    assertEquals(6, exited(2).getExitCode());
    master.stop(2);
    assertEnded();
  }

  @Test
  public void shouldTellWhichOutputsAreTooLarge() throws Exception {
    live();
    registered(1);
    master.start(1, "printf 'big=%040000d\\nauc=0.9\\n' 1 > $TONY_OUTPUT_FILE; exit 0");
    started(1);

    ExitedRequest exit = exited(1);

    assertEquals(outputs("auc", "0.9"), exit.getOutputsList());
    String leftOut = exit.getOutputsLeftOut();
    assertTrue(leftOut, leftOut.startsWith("outputs are left out: big (40003 characters); "));
    assertEquals("it is no failure", "", exit.getExecutorMessage());
  }

  @Test
  public void shouldForgetWhatTheProgramBeforeItSaid() throws Exception {
    live();
    RegisterRequest before = registered(1);
    master.start(
        1,
        "printf 1/2 > $TONY_PROGRESS_FILE; echo auc=0.9 > $TONY_OUTPUT_FILE;"
            + " echo Address already in use >&2; exit 1");
    started(1);
    ExitedRequest first = exited(1);
    assertEquals("1/2", first.getProgress());
    assertTrue(first.getPortTaken());

    master.restart(1, 2);
    RegisterRequest registration = registered(2);
    assertEquals(before.getPort(), registration.getPort());
    assertEquals(before.getTensorboardPort(), registration.getTensorboardPort());
    master.start(2, "exit 7");

    started(2);
    ExitedRequest exit = exited(2);
    assertEquals(7, exit.getExitCode());
    assertEquals(List.of(), exit.getOutputsList());
    assertEquals("", exit.getStderrTail());
    assertFalse(exit.getPortTaken());
  }

  @Test
  public void shouldTakeAnotherPortWhenSomebodyHasTakenItsOwn() throws Exception {
    live();
    int port = registered(1).getPort();
    master.start(1, "echo 'bind: address already in use' >&2; exit 1");
    started(1);
    assertTrue(exited(1).getPortTaken());

    try (ServerSocket other = new ServerSocket()) {
      other.bind(new InetSocketAddress(port));
      master.restart(1, 2);

      assertNotEquals(port, registered(2).getPort());
    }
  }

  @Test
  public void shouldLiveThroughManyAttempts() throws Exception {
    live();
    registered(1);
    for (int attempt = 1; attempt < 20; attempt++) {
      master.start(attempt, "exit " + attempt);
      started(attempt);
      assertEquals(attempt, exited(attempt).getExitCode());
      master.restart(attempt, attempt + 1);
      registered(attempt + 1);
    }
    assertFalse(master.toldMore());
  }

  /** Whichever comes first: nothing is said of one attempt under the number of another. */
  @Test
  public void shouldNotReportAnExitThatCrossesARestartUnderTheNextAttempt() throws Exception {
    live();
    registered(1);
    for (int attempt = 1; attempt < 20; attempt++) {
      master.start(attempt, "exit " + attempt);
      assertEquals(attempt, besideAnExit(StartedRequest.class).getTask().getAttempt());
      master.restart(attempt, attempt + 1);
      assertEquals(attempt + 1, besideAnExit(RegisterRequest.class).getTask().getAttempt());
    }
    master.start(20, "exit 20");
    assertEquals(20, besideAnExit(StartedRequest.class).getTask().getAttempt());
    assertEquals(20, exited(20).getExitCode());
    assertFalse(master.toldMore());
  }

  /**
   * The next message that is no exit. Exits are reported by a thread of their own: one that crosses
   * a restart comes before the next registration, or not at all.
   */
  private <T extends Message> T besideAnExit(Class<T> type) throws InterruptedException {
    Message next = master.next(Message.class);
    if (next instanceof ExitedRequest exit) {
      assertEquals(exit.getTask().getAttempt(), exit.getExitCode());
      next = master.next(Message.class);
    }
    return type.cast(next);
  }

  /** It may be why the gang was started again, which another task reported first. */
  @Test
  public void shouldReportAProgramThatEndedBeforeItWasToldTo() throws Exception {
    live();
    registered(1);
    master.start(1, "echo nan >&2; exit 7");
    ProcessHandle.of(started(1)).ifPresent(program -> program.onExit().join());
    master.restart(1, 2);

    Message one = master.next(Message.class);
    Message other = master.next(Message.class);
    ExitedRequest exit = (ExitedRequest) (one instanceof ExitedRequest ? one : other);
    assertEquals(7, exit.getExitCode());
    assertEquals(1, exit.getTask().getAttempt());
    assertEquals("nan", exit.getStderrTail());
    assertTrue(exit.getByItself());
    long age = System.currentTimeMillis() - exit.getEndedMs();
    assertTrue(age + " ms", age >= 0 && age < 60_000);
  }

  @Test
  public void shouldSayOfAProgramThatItWasToldToEnd() throws Exception {
    live();
    registered(1);
    master.start(1, "exec sleep 100");
    started(1);
    master.stop(1);

    assertFalse(exited(1).getByItself());
    assertEnded();
  }

  // ---- Another ApplicationMaster ----

  private RegisterRequest failOver() throws Exception {
    loseMaster();
    return succeeded(0);
  }

  /** Nothing that was reported waits for its answer, and is reported again to a successor. */
  private void loseMaster() throws Exception {
    master.awaitHeartbeat();
    master.awaitHeartbeat(); // the one before is answered
    master.close();
  }

  private RegisterRequest succeeded(int port) throws Exception {
    successor = new ServedMaster(jobKey, "authentication", port, 2);
    successor.announce(staging);
    RegisterRequest registration = successor.next(RegisterRequest.class);
    lastTold = registration.getLastHeartbeat();
    return registration.toBuilder().clearLastHeartbeat().build();
  }

  @Test
  public void shouldGoOnWithASuccessorWhileTheProgramNoticesNothing() throws Exception {
    live();
    RegisterRequest before = registered(1);
    master.start(1, "echo $$ > pipe; read -r x < pipe; exit 8");
    long leader = started(1);
    long pid = Long.parseLong(told());

    RegisterRequest after = failOver();

    assertEquals(before.toBuilder().setPid(leader).build(), after);
    assertEquals(master.answer(), lastTold);
    assertTrue(ProcessWatch.running(pid));
    Files.writeString(folder.resolve("pipe"), "\n");
    assertEquals(8, successor.next(ExitedRequest.class).getExitCode());
    successor.restart(1, 2);
    assertEquals(before.getPort(), successor.next(RegisterRequest.class).getPort());
    successor.stop(2);
    assertEquals(143, successor.next(ExitedRequest.class).getExitCode());
    end.get();
  }

  @Test
  public void shouldRegisterWithASuccessorBeforeTheStart() throws Exception {
    live();
    RegisterRequest before = registered(1);

    assertEquals(before, failOver());

    successor.start(1, "exit 3");
    successor.next(StartedRequest.class);
    assertEquals(3, successor.next(ExitedRequest.class).getExitCode());
  }

  @Test
  public void shouldInsistUntilASuccessorHasTheReport() throws Exception {
    live();
    RegisterRequest before = registered(1);
    master.start(1, "echo > pipe; read -r x < pipe; echo auc=0.8 > $TONY_OUTPUT_FILE; exit 8");
    long leader = started(1);
    told();
    loseMaster();
    Files.writeString(folder.resolve("pipe"), "\n");
    ProcessWatch.awaitEnd(leader);

    assertEquals(before.toBuilder().setPid(leader).build(), succeeded(0));

    ExitedRequest exit = successor.next(ExitedRequest.class);
    assertEquals(8, exit.getExitCode());
    assertEquals(outputs("auc", "0.8"), exit.getOutputsList());
  }

  /** The one before it may have been lost before it had written the report down. */
  @Test
  public void shouldReportAgainToASuccessor() throws Exception {
    live();
    RegisterRequest before = registered(1);
    master.start(1, "exit 8");
    long leader = started(1);
    ExitedRequest exit = exited(1);

    assertEquals(before.toBuilder().setPid(leader).build(), failOver());

    assertEquals(exit, successor.next(ExitedRequest.class));
    successor.stop(1);
    end.get();
    assertFalse(successor.toldMore());
  }

  /** As on one node, with a {@code tony.am.port-range}, of which the first free port is taken. */
  @Test
  public void shouldReportAgainToASuccessorAtTheSameAddress() throws Exception {
    live();
    RegisterRequest before = registered(1);
    master.start(1, "exit 8");
    long leader = started(1);
    ExitedRequest exit = exited(1);
    int port = master.address().getPort();
    loseMaster();

    RegisterRequest after = succeeded(port);

    assertEquals(before.toBuilder().setPid(leader).build(), after);
    assertEquals(master.answer(), lastTold);
    assertEquals(exit, successor.next(ExitedRequest.class));
    successor.restart(1, 2);
    successor.next(RegisterRequest.class);
    successor.stop(2);
    assertEquals(143, successor.next(ExitedRequest.class).getExitCode());
    end.get();
    assertFalse("it is told once", successor.toldMore());
  }

  /** A call that is held has not failed: the time in which it was is none of waiting in vain. */
  @Test
  public void shouldCountItsPatienceFromTheFirstCallThatFails() throws Exception {
    masterLost = Duration.ofSeconds(1);
    live();
    registered(1);
    master.hold(Duration.ofMinutes(1));
    master.start(1, "sleep 2; echo > pipe; read -r x < pipe; exit 8");
    started(1);
    told(); // the call has been held for longer than an ApplicationMaster may be lost
    successor = new ServedMaster(jobKey, "authentication", 0, 2);
    successor.announce(staging);

    master.close();

    successor.next(RegisterRequest.class);
    Files.writeString(folder.resolve("pipe"), "\n");
    assertEquals(8, successor.next(ExitedRequest.class).getExitCode());
  }

  @Test
  public void shouldEndTheProgramWhenTheMasterIsLostForGood() throws Exception {
    masterLost = Duration.ofMillis(500);
    live();
    registered(1);
    master.start(1, "sleep 1000 & echo $! > pipe; wait");
    started(1);
    long pid = Long.parseLong(told());

    master.close();

    Throwable cause = assertThrows(ExecutionException.class, end::get).getCause();
    assertTrue(cause.toString(), cause instanceof MasterLostException);
    assertTrue(
        cause.getMessage(),
        cause
            .getMessage()
            .startsWith(
                "no ApplicationMaster has answered for 500 ms (tony.task.am-lost-timeout), the last"
                    + " one at "));
    ProcessWatch.awaitEnd(pid);
  }

  @Test
  public void shouldGiveUpAMasterThatIsLostBeforeTheStart() throws Exception {
    masterLost = Duration.ofMillis(500);
    live();
    registered(1);

    master.close();

    Throwable cause = assertThrows(ExecutionException.class, end::get).getCause();
    assertTrue(cause.toString(), cause instanceof MasterLostException);
  }

  // ---- TensorBoard ----

  private String listening(RegisterRequest registration) {
    return "read -r x < pipe; exec python3 -m http.server --bind 127.0.0.1 "
        + registration.getTensorboardPort();
  }

  private void assertToldOfTensorBoard(int attempt) throws Exception {
    HeartbeatRequest told = master.next(HeartbeatRequest.class);
    assertTrue(told.getTensorboardListens());
    assertEquals(attempt, told.getTask().getAttempt());
    assertFalse(told.hasProgress());
  }

  @Test
  public void shouldTellOnceForEachProgramThatItsTensorBoardListens() throws Exception {
    live();
    RegisterRequest first = registered(1);
    assertFalse(first.getTensorboardListens());
    master.start(1, listening(first));
    started(1);
    Files.writeString(folder.resolve("pipe"), "\n");
    assertToldOfTensorBoard(1);

    master.restart(1, 2);
    RegisterRequest second = registered(2);
    assertFalse(second.getTensorboardListens());
    master.start(2, listening(second));
    started(2);
    Files.writeString(folder.resolve("pipe"), "\n");
    assertToldOfTensorBoard(2);

    master.stop(2);
    exited(2);
    assertEnded();
  }

  @Test
  public void shouldTellASuccessorThatItsTensorBoardListens() throws Exception {
    live();
    RegisterRequest before = registered(1);
    master.start(1, listening(before));
    long leader = started(1);
    Files.writeString(folder.resolve("pipe"), "\n");
    assertToldOfTensorBoard(1);

    assertEquals(before.toBuilder().setPid(leader).setTensorboardListens(true).build(), failOver());

    successor.stop(1);
    successor.next(ExitedRequest.class);
    end.get();
  }

  // ---- Limits ----

  @Test
  public void shouldEndAProgramThatRunsTooLong() throws Exception {
    live();
    registered(1);
    master.start(1, 2_000, "sleep 1000");
    started(1);

    ExitedRequest exit = exited(1);
    assertTrue(exit.getTimedOut());
    assertEquals(128 + 15, exit.getExitCode());
    assertEquals(
        "ran longer than 2000 ms (tony.task.executor.execution-timeout-ms)",
        exit.getExecutorMessage());
    master.stop(1);
    assertEnded();
  }

  @Test
  public void shouldEndAProgramThatHangs() throws Exception {
    hang = Duration.ofMillis(1_500);

    ExitedRequest exit = exitOf("echo begun; sleep 1000");

    assertEquals("", exit.getHangLocation());
    assertTrue(exit.hasHangLocation());
    assertFalse(exit.getTimedOut());
    assertEquals(128 + 15, exit.getExitCode());
    assertEquals(
        "showed no sign of life for 1.5 s (tony.task.hang-timeout-ms): nothing was written to its"
            + " stdout, its stderr, its progress file or its output file, and all its processes"
            + " together used less than 1 % of a core",
        exit.getExecutorMessage());
  }

  private static final String STUCK =
      """
      echo begun >&2
      exec python3 -c '
      import time
      def stuck():
        open("pipe", "w").write("up\\n")
        time.sleep(1000)
      stuck()'
      """;

  /** Of three lines that are to be told, one is of the stack: the innermost. */
  @Test
  public void shouldTellWhereAProgramStandsThatHangs() throws Exception {
    hang = Duration.ofMillis(1_500);
    live();
    registered(1);
    master.start(1, STUCK);
    started(1);
    told();

    ExitedRequest exit = exited(1);
    assertEquals("stuck (<string>:5)", exit.getHangLocation());
    assertTrue(exit.getExecutorMessage(), exit.getExecutorMessage().startsWith("showed no sign"));
    assertTrue(exit.getStderrTail(), exit.getStderrTail().endsWith("\n  stuck (<string>:5)"));
    String stderr = Files.readString(folder.resolve("stderr"));
    assertTrue(stderr, stderr.startsWith("begun\n"));
    assertTrue(stderr, stderr.contains("File \"<string>\", line 5 in stuck\n"));
  }

  @Test
  public void shouldTellWhereItStoodBeforeItRegistersAnew() throws Exception {
    live();
    registered(1);
    master.start(1, STUCK);
    started(1);
    told();

    master.restart(1, 2, true);

    HeartbeatRequest stood = master.next(HeartbeatRequest.class);
    assertEquals(1, stood.getTask().getAttempt());
    assertTrue(stood.toString(), stood.getHangLocation().startsWith("stuck (<string>:"));
    registered(2);
  }

  @Test
  public void shouldTellWhereItStoodWhenAnotherHangsAndItIsStopped() throws Exception {
    live();
    registered(1);
    master.start(1, STUCK);
    started(1);
    told();

    master.stop(1, true);

    ExitedRequest exit = exited(1);
    assertTrue(exit.toString(), exit.getHangLocation().startsWith("stuck (<string>:"));
    assertEquals("", exit.getExecutorMessage());
    assertEnded();
  }

  /** One computes without a word, one only writes now and then; both for more than the limit. */
  @Test
  public void shouldLetProgramsLiveThatShowASignOfLife() throws Exception {
    hang = Duration.ofSeconds(2);

    ExitedRequest busy =
        exitOf("end=$((SECONDS + 4)); while [[ $SECONDS -lt $end ]]; do :; done; exit 3");
    assertEquals(3, busy.getExitCode());
    assertEquals("", busy.getExecutorMessage());

    master.restart(1, 2);
    registered(2);
    master.start(2, "for i in {1..20}; do echo $i > $TONY_OUTPUT_FILE; sleep 0.2; done; exit 4");
    started(2);
    ExitedRequest writing = exited(2);
    assertEquals(4, writing.getExitCode());
    assertEquals("", writing.getExecutorMessage());
  }

  @Test
  public void shouldLetAProgramLiveWhoseDaemonComputes() throws Exception {
    hang = Duration.ofSeconds(2);

    ExitedRequest exit =
        exitOf(
            "mkfifo go; (setsid bash -c 'end=$((SECONDS + 4)); while [[ $SECONDS -lt $end ]]; do :;"
                + " done; echo > go' &); read -r line < go; exit 3");

    assertEquals("", exit.getExecutorMessage());
    assertEquals(3, exit.getExitCode());
  }

  // ---- A container that is kept after a failure ----

  private void failAndBeHeld(String command) throws Exception {
    live();
    registered(1);
    master.start(1, command);
    started(1);
    ContainerHold held = master.next(HeartbeatRequest.class).getHold();
    assertEquals(3, held.getExitCode());
    assertEquals("no such file", held.getStderrTail());
    assertEquals(holdOnFailure.toMillis(), held.getForMs());
  }

  private void startProgramThatExitsWith3On(String signal) throws Exception {
    live();
    registered(1);
    master.start(1, "trap 'exit 3' " + signal + "; echo > pipe; while :; do sleep 0.1; done");
    started(1);
    told();
  }

  @Test
  public void shouldReportAFailureWhenItsContainerWasKeptForLongEnough() throws Exception {
    holdOnFailure = Duration.ofSeconds(2);
    long before = System.nanoTime();
    failAndBeHeld("echo no such file >&2; exit 3");

    ExitedRequest exit = exited(1);

    assertTrue(System.nanoTime() - before > holdOnFailure.toNanos());
    assertEquals(3, exit.getExitCode());
    assertEquals("no such file", exit.getStderrTail());
    master.stop(1);
    assertEnded();
  }

  /** What is written meanwhile, by somebody who looks in, is not the program's. */
  @Test
  public void shouldEndTheHoldWithAStop() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);
    failAndBeHeld("echo $TONY_OUTPUT_FILE > outputs; echo no such file >&2; exit 3");
    Path outputs = Path.of(Files.readString(folder.resolve("outputs")).strip());
    Files.writeString(outputs, "auc=1\n");

    master.stop(1);

    ExitedRequest exit = exited(1);
    assertEquals(3, exit.getExitCode());
    assertEquals(List.of(), exit.getOutputsList());
    assertEnded();
  }

  @Test
  public void shouldKeepTheContainerOfAProgramThatHangsHoweverItEnds() throws Exception {
    hang = Duration.ofMillis(1_500);
    holdOnFailure = Duration.ofMinutes(30);
    live();
    registered(1);
    master.start(1, "trap 'exit 0' TERM; sleep 1000 & wait");
    started(1);

    HeartbeatRequest beat = master.next(HeartbeatRequest.class);
    while (!beat.hasHold()) {
      beat = master.next(HeartbeatRequest.class); // where it stood
    }

    assertEquals(0, beat.getHold().getExitCode());
    assertTrue(beat.getHold().getExecutorMessage().contains("no sign of life"));
    master.stop(1);
    exited(1);
    assertEnded();
  }

  @Test
  public void shouldEndTheHoldWithARestart() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);
    failAndBeHeld("echo no such file >&2; exit 3");

    master.restart(1, 2);

    assertEquals("it may be why the others failed", 3, exited(1).getExitCode());
    registered(2);
    master.start(2, "exit 0");
    started(2);
    assertEquals("a success is not held", 0, exited(2).getExitCode());
    master.stop(2);
    assertEnded();
  }

  @Test
  public void shouldEndTheHoldWhenTheApplicationMasterIsLost() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);
    masterLost = Duration.ofMillis(500);
    failAndBeHeld("echo no such file >&2; exit 3");

    master.close();

    Throwable cause = assertThrows(ExecutionException.class, end::get).getCause();
    assertTrue(cause.toString(), cause instanceof MasterLostException);
  }

  @Test
  public void shouldKeepNoContainerOfAProgramThatIsLostWithItsMaster() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);
    masterLost = Duration.ofMillis(500);
    startProgramThatExitsWith3On("TERM");

    master.close();

    Throwable cause = assertThrows(ExecutionException.class, end::get).getCause();
    assertTrue(cause.toString(), cause instanceof MasterLostException);
  }

  /** It may have saved what it had and left, as it was asked to. */
  @Test
  public void shouldKeepNoContainerOfAProgramThatWasAskedForACheckpoint() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);
    startProgramThatExitsWith3On("USR1");

    master.askForCheckpoint(1, 1_700_000_000_000L, ProgramSignal.USR1);

    assertEquals(3, exited(1).getExitCode());
    master.stop(1);
    assertEnded();
  }

  @Test
  public void shouldKeepNoContainerOfAProgramWhosePortWasTaken() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);

    ExitedRequest exit = exitOf("echo 'OSError: [Errno 98] Address already in use' >&2; exit 1");

    assertTrue(exit.getPortTaken());
    master.stop(1);
    assertEnded();
  }

  @Test
  public void shouldKeepNoContainerOfAProgramThatItHadToEnd() throws Exception {
    holdOnFailure = Duration.ofMinutes(30);
    startProgramThatExitsWith3On("TERM");

    master.stop(1);

    assertEquals(3, exited(1).getExitCode());
    assertEnded();
  }

  // ---- Ports, and what TonY's programs know ----

  @Test
  public void shouldTellThatThePortWasTakenOnlyWhenTheProgramFailed() throws Exception {
    assertFalse(exitOf("echo Address already in use >&2").getPortTaken());
  }

  @Test
  public void shouldFreeThePortForTheProgram() throws Exception {
    live();
    int port = registered(1).getPort();
    master.start(1, "echo \"reuse:$TF_GRPC_REUSE_PORT\" > pipe; sleep 1000");
    started(1);
    assertEquals("reuse:", told());

    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(port));
    }
  }

  @Test
  public void shouldKeepAPortThatTheProgramShares() throws Exception {
    reusePort = true;
    live();
    int port = registered(1).getPort();
    master.start(1, "echo \"reuse:$TF_GRPC_REUSE_PORT\" > pipe; sleep 1000");
    started(1);
    assertEquals("reuse:true", told());

    try (ServerSocket socket = new ServerSocket()) {
      assertThrows(BindException.class, () -> socket.bind(new InetSocketAddress(port)));
    }
  }

  @Test
  public void shouldPassOnModelParametersOfAPreprocessingProgramOnly() throws Exception {
    String program = "echo 'INFO Model parameters: {\"a\": 1}'";
    assertEquals(
        outputs("MODEL_PARAMS", "{\"a\": 1}"),
        exitOf(program, "TONY_PREPROCESS", "1").getOutputsList());

    master.restart(1, 2);
    registered(2);
    master.start(2, program);
    started(2);
    assertEquals(List.of(), exited(2).getOutputsList());
  }
}
