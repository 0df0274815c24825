package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.TestingStore;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.ProgramSignal;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.protocol.JobKey;
import io.tony.protocol.proto.TonyProtos.CheckpointOutcome;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Resume;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.UploadSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Checkpoints in the life of an executor: real programs and a real server, a store in memory. */
public class TaskCheckpointsTest {
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final String GENERATION = CheckpointName.generation("application_1_2", 1);
  private static final long LONG_MS = Duration.ofMinutes(5).toMillis();

  /** A checkpoint of step 7 that is written, and then named. */
  private static final String SAVE =
      "echo seven > $TONY_CHECKPOINT_LOCAL/m.pt;"
          + " echo $TONY_CHECKPOINT_LOCAL/m.pt step=7 >> $TONY_CHECKPOINT_FILE;";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final JobKey jobKey = JobKey.random("application_1_0002");
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final TestingStore store = new TestingStore();
  private Path folder;
  private ServedMaster master;
  private LivingExecutor executor;
  private Duration masterLost = Duration.ofMinutes(5);
  private Duration pause = Duration.ofSeconds(1);
  private Duration stopGrace = Duration.ofMinutes(5);

  @Before
  public void serve() throws Exception {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
    master = new ServedMaster(jobKey);
  }

  @After
  public void close() throws InterruptedException {
    executor.end();
    master.close();
  }

  private ExecutorLoop live() throws Exception {
    ExecutorSettings settings =
        new ExecutorSettings(
            new TaskKey(WORKER, 1, "container_7"),
            "127.0.0.1",
            master.address(),
            "auth",
            folder.resolve("no master").toUri().toString(),
            masterLost,
            Duration.ofMillis(50),
            Duration.ZERO,
            Duration.ZERO,
            stopGrace,
            2,
            false,
            false,
            "",
            false,
            new ExecutorSettings.Preflight("", Duration.ofMinutes(1), 0),
            new ExecutorSettings.Sampling(Duration.ofSeconds(5), 0, "nvidia-smi"));
    executor =
        LivingExecutor.begin(
            settings,
            jobKey,
            folder,
            (hadoop, tokens) -> new TaskCheckpoints(folder, store, Spawner.SYSTEM, pause),
            Spawner.SYSTEM,
            end);
    registered(1);
    return executor.life();
  }

  private static Checkpoints.Builder checkpoints(long copyTimeoutMs) {
    return Checkpoints.newBuilder().setFolder("hdfs://c/x/.tony").setCopyTimeoutMs(copyTimeoutMs);
  }

  private static Checkpoints keeping(long copyTimeoutMs) {
    return checkpoints(copyTimeoutMs)
        .setUpload(
            UploadSettings.newBuilder()
                .setGeneration(GENERATION)
                .setCounted(0)
                .setTasks(1)
                .setTraining("ab")
                .setApplication("application_1_0002"))
        .build();
  }

  private static Checkpoints keeping() {
    return keeping(LONG_MS);
  }

  private static String set(long number) {
    return new CheckpointName(GENERATION, number).toString();
  }

  /** With a set of that number, which the store has. */
  private Checkpoints resuming(long number) {
    store.put(
        set(number),
        new Manifest(
            WORKER, 1, number, true, Instant.EPOCH, "a", "", "ab", "m.pt", false, List.of()));
    return checkpoints(LONG_MS)
        .setResume(Resume.newBuilder().setSet(set(number)).setTask("worker-0").setNumber(number))
        .build();
  }

  private void registered(int attempt) throws InterruptedException {
    assertEquals(attempt, master.next(RegisterRequest.class).getTask().getAttempt());
  }

  private void started() throws InterruptedException {
    master.next(StartedRequest.class);
  }

  /** Waits until the program is gone as well: what its executor copies from then on is left. */
  private void startedAndEnded() throws InterruptedException {
    long pid = master.next(StartedRequest.class).getPid();
    ProcessHandle.of(pid).ifPresent(program -> program.onExit().join());
  }

  private ExitedRequest exited(int attempt) throws InterruptedException {
    ExitedRequest exit = master.next(ExitedRequest.class);
    assertEquals(attempt, exit.getTask().getAttempt());
    return exit;
  }

  private CheckpointOutcome kept(int attempt) throws InterruptedException {
    HeartbeatRequest beat = master.next(HeartbeatRequest.class);
    assertEquals(attempt, beat.getTask().getAttempt());
    assertEquals(1, beat.getCheckpointsCount());
    return beat.getCheckpoints(0);
  }

  /** Waits until a program has written a line to the pipe, and gives the line. */
  private String told() throws IOException {
    String line = null;
    while (line == null) {
      try (BufferedReader reader = Files.newBufferedReader(folder.resolve("pipe"))) {
        line = reader.readLine();
      }
    }
    return line;
  }

  private void tell() throws IOException {
    Files.writeString(folder.resolve("pipe"), "\n");
  }

  private void assertEnded() throws Exception {
    end.get();
    assertFalse(master.toldMore());
  }

  // ---- Keeping ----

  @Test
  public void shouldKeepWhileTheProgramGoesOn() throws Exception {
    live();
    master.start(1, SAVE + "read -r x < pipe; exit 3", keeping());
    started();

    CheckpointOutcome kept = kept(1);

    assertEquals(set(7), kept.getSet());
    assertTrue(kept.getStep());
    assertFalse(kept.hasProblem());
    assertEquals("hdfs://c/x/.tony/" + set(7) + "/worker-0/data/m.pt", kept.getUri());
    assertEquals(Map.of("m.pt", "seven\n"), store.contents(set(7)));
    tell();
    assertEquals(3, exited(1).getExitCode());
    assertFalse(Files.exists(folder.resolve(".tony/checkpoint")));
  }

  @Test
  public void shouldKeepWhatAProgramNamesLastBeforeItsEndIsReported() throws Exception {
    live();
    master.start(1, SAVE + "exit 3", keeping());
    started();

    assertEquals(set(7), kept(1).getSet());
    assertEquals(3, exited(1).getExitCode());
    master.stop(1);
    assertEnded();
  }

  @Test
  public void shouldKeepWhatAProgramSavesOnSigtermBeforeItsEndIsReported() throws Exception {
    live();
    master.start(
        1, "trap '" + SAVE + " exit 5' TERM; echo > pipe; while :; do sleep 0.1; done", keeping());
    started();
    told();

    master.stop(1);

    assertEquals(set(7), kept(1).getSet());
    assertEquals(5, exited(1).getExitCode());
    assertEnded();
  }

  @Test
  public void shouldKeepWhatAProgramSavesBeforeItRegistersAnew() throws Exception {
    live();
    master.start(
        1, "trap '" + SAVE + " exit 5' TERM; echo > pipe; while :; do sleep 0.1; done", keeping());
    started();
    told();

    master.restart(1, 2);

    assertEquals(set(7), kept(1).getSet());
    registered(2);
  }

  /** YARN lets it have some time, or kills it: nobody is told, and the next start finds it. */
  @Test
  public void shouldKeepWhatAProgramSavesOnASignalOfYarns() throws Exception {
    ExecutorLoop life = live();
    master.start(
        1, "trap '" + SAVE + " exit 5' TERM; echo > pipe; while :; do sleep 0.1; done", keeping());
    started();
    told();

    life.terminate(Duration.ofMinutes(5));

    assertEquals(Map.of("m.pt", "seven\n"), store.contents(set(7)));
  }

  @Test
  public void shouldTellThatItLivesWhileItCopiesWhatIsLeft() throws Exception {
    store.hold();
    live();
    master.start(1, SAVE + "exit 3", keeping());
    startedAndEnded();
    store.nextBegun();

    master.awaitHeartbeat();
    master.awaitHeartbeat();
    assertFalse("the end is not reported yet", master.toldMore());
    store.let(1);

    kept(1);
    assertEquals(3, exited(1).getExitCode());
  }

  @Test
  public void shouldReportTheEndWhenTheCopyTakesTooLong() throws Exception {
    store.hold();
    live();
    master.start(1, SAVE + "read -r x < pipe; exit 3", keeping(100));
    started();
    store.nextBegun();
    tell();

    CheckpointOutcome left = kept(1);
    assertTrue(left.getProblem(), left.getProblem().contains("tony.checkpoint.copy-timeout"));
    assertFalse(left.hasUri());
    assertEquals(3, exited(1).getExitCode());
  }

  @Test
  public void shouldCopyNoLongerThanAStopGivesIt() throws Exception {
    stopGrace = Duration.ofMillis(100);
    store.hold();
    live();
    master.start(1, SAVE + "exit 3", keeping());
    startedAndEnded();
    store.nextBegun();

    master.stop(1);

    assertTrue(kept(1).hasProblem());
    assertEquals(3, exited(1).getExitCode());
    assertEnded();
  }

  @Test
  public void shouldRestartWhenAllIsKeptOfAProgramThatHasEnded() throws Exception {
    store.hold();
    live();
    master.start(1, SAVE + "exit 3", keeping());
    startedAndEnded();
    store.nextBegun();
    master.restart(1, 2);
    master.awaitRestartTakenUp();
    assertFalse(master.toldMore());

    store.let(1);

    kept(1);
    assertEquals(3, exited(1).getExitCode());
    registered(2);
  }

  @Test
  public void shouldTellTheProgramOfAPreemptionAndKeepWhatItNamesUponIt() throws Exception {
    live();
    master.start(
        1,
        "until [ -e $TONY_CHECKPOINT_ASKED ]; do sleep 0.05; done; cp $TONY_CHECKPOINT_ASKED seen;"
            + SAVE
            + "sleep 1000",
        keeping());
    started();

    master.askForCheckpoint(1, 1_700_000_000_999L, ProgramSignal.NONE);

    CheckpointOutcome kept = kept(1);
    assertEquals(set(7), kept.getSet());
    assertEquals(1_700_000_000_999L, kept.getAskedMs());
    assertEquals("1700000000\n", Files.readString(folder.resolve("seen")));
    master.stop(1);
    exited(1);
    assertEnded();
  }

  @Test
  public void shouldSendTheSignalToThoseWhoHandleItOnly() throws Exception {
    live();
    master.start(
        1,
        "sleep 1000 & trap 'kill -0 $! && "
            + SAVE
            + " kill $!' USR1; echo > pipe;"
            + " while :; do wait; sleep 0.05; done",
        keeping());
    started();
    told();

    master.askForCheckpoint(1, 1_700_000_000_000L, ProgramSignal.USR1);

    assertEquals(1_700_000_000_000L, kept(1).getAskedMs());
    master.stop(1);
    exited(1);
    assertEnded();
  }

  @Test
  public void shouldNotSendASignalThatWouldEndTheProgram() throws Exception {
    live();
    master.start(1, "read -r word < pipe; exit 4", keeping());
    started();

    master.askForCheckpoint(1, 1_700_000_000_000L, ProgramSignal.USR1);
    master.awaitAskTakenUp();
    tell();

    assertEquals(4, exited(1).getExitCode());
  }

  /** Else what an earlier checkpoint waits for is taken for an answer. */
  @Test
  public void shouldNotTakeWhatWasNamedBeforeForAnAnswer() throws Exception {
    live();
    master.start(1, SAVE + "read -r word < pipe; exit 4", keeping());
    started();
    assertFalse(kept(1).hasAskedMs());

    master.askForCheckpoint(1, 1_700_000_000_000L, ProgramSignal.NONE);
    master.awaitAskTakenUp();
    tell();

    assertEquals(4, exited(1).getExitCode());
  }

  @Test
  public void shouldTellAProgramThatStartsAfterTheAnnouncement() throws Exception {
    live();
    store.hold();
    master.start(
        1,
        "until [ -e $TONY_CHECKPOINT_ASKED ]; do sleep 0.05; done;"
            + " cp $TONY_CHECKPOINT_ASKED seen; exit 4",
        resuming(3));
    store.nextBegun();
    master.askForCheckpoint(1, 1_700_000_000_000L, ProgramSignal.NONE);
    master.awaitAskTakenUp();

    store.let(1);

    started();
    assertEquals(4, exited(1).getExitCode());
    assertEquals("1700000000\n", Files.readString(folder.resolve("seen")));
  }

  /** A job that is killed waits for nothing that a start of its gang would go on from. */
  @Test
  public void shouldStopWhileItCopiesWhatIsLeftBeforeARestart() throws Exception {
    stopGrace = Duration.ofMillis(100);
    store.hold();
    live();
    master.start(1, SAVE + "exit 3", keeping());
    startedAndEnded();
    store.nextBegun();
    master.restart(1, 2);
    master.awaitRestartTakenUp();

    master.stop(2);

    assertTrue(kept(1).hasProblem());
    assertEquals(3, exited(1).getExitCode());
    assertEnded();
  }

  @Test
  public void shouldBecomeTheLastAttemptThatItIsToldOfWhileItCopies() throws Exception {
    store.hold();
    live();
    master.start(1, SAVE + "exit 3", keeping());
    startedAndEnded();
    store.nextBegun();
    master.restart(1, 2);
    master.awaitRestartTakenUp();
    master.restart(2, 3);
    master.awaitRestartTakenUp();

    store.let(1);

    kept(1);
    assertEquals(3, exited(1).getExitCode());
    registered(3);
  }

  @Test
  public void shouldBeAnotherTaskFromThenOn() throws Exception {
    live();
    master.start(1, "echo > pipe; exec sleep 1000");
    started();
    told();

    master.move(1, 3, 2);

    RegisterRequest registered = master.next(RegisterRequest.class);
    assertEquals(3, registered.getTask().getIndex());
    assertEquals(2, registered.getTask().getAttempt());
    master.start(2, SAVE + "exit 5", keeping());
    assertEquals(3, master.next(StartedRequest.class).getTask().getIndex());
    String place = kept(2).getUri();
    assertTrue(place, place.contains("/worker-3/"));
    ExitedRequest exit = exited(2);
    assertEquals(3, exit.getTask().getIndex());
    assertEquals(5, exit.getExitCode());
  }

  @Test
  public void shouldKeepWhatIsLeftWhenTheMasterIsLostForGood() throws Exception {
    masterLost = Duration.ofMillis(300);
    live();
    master.start(
        1, "trap '" + SAVE + " exit 5' TERM; echo > pipe; while :; do sleep 0.1; done", keeping());
    started();
    told();

    master.close();

    Throwable cause = assertThrows(ExecutionException.class, end::get).getCause();
    assertTrue(cause.toString(), cause instanceof MasterLostException);
    assertEquals(Map.of("m.pt", "seven\n"), store.contents(set(7)));
  }

  @Test
  public void shouldForgetWhatTheProgramBeforeItNamed() throws Exception {
    live();
    master.start(1, SAVE + "exit 3", keeping());
    started();
    kept(1);
    exited(1);
    master.restart(1, 2);
    registered(2);

    master.start(2, "exit $(ls $TONY_CHECKPOINT_LOCAL | wc -l)", keeping());

    started();
    assertEquals("its folder is empty", 0, exited(2).getExitCode());
    assertEquals(1, store.sets());
  }

  @Test
  public void shouldGiveATaskThatKeepsNoneAFolderAndNoFile() throws Exception {
    live();
    master.start(
        1,
        "[[ -d $TONY_CHECKPOINT_LOCAL && -z ${TONY_CHECKPOINT_FILE+x}"
            + " && -z ${TONY_CHECKPOINT_LATEST+x} && -z ${TONY_CHECKPOINT_STEP+x} ]]");
    started();
    assertEquals(0, exited(1).getExitCode());
    assertTrue(store.isUntouched());
  }

  // ---- Resuming ----

  @Test
  public void shouldBringItBackBeforeTheProgramStarts() throws Exception {
    store.hold();
    live();
    master.start(
        1,
        "[[ $(basename $TONY_CHECKPOINT_LATEST) == m.pt ]] && exit $TONY_CHECKPOINT_STEP",
        resuming(9));
    assertEquals(set(9), store.nextBegun());
    master.awaitHeartbeat();
    master.awaitHeartbeat();
    assertFalse("the program does not run yet", master.toldMore());
    store.let(1);
    started();
    assertEquals(9, exited(1).getExitCode());

    master.restart(1, 2);
    registered(2);
    master.start(
        2,
        "[[ $(cat $TONY_CHECKPOINT_LATEST) == " + set(42) + " ]] && exit $TONY_CHECKPOINT_STEP",
        resuming(42));
    store.let(1);
    started();
    assertEquals(42, exited(2).getExitCode());
    assertEquals(
        set(42),
        Files.readString(folder.resolve(".tony/checkpoint/2").resolve(set(42)).resolve("m.pt")));
    assertFalse(Files.exists(folder.resolve(".tony/checkpoint/1")));
  }

  @Test
  public void shouldReportThatItCannotBeBroughtBack() throws Exception {
    store.fail(new ClusterStore.UnusableCheckpointException("it is damaged", null));
    live();
    master.start(1, "exit 0", resuming(7));

    assertEquals(set(7), store.nextBegun());
    ExitedRequest exit = exited(1);
    assertEquals(TaskExecutor.EXIT_FAILURE, exit.getExitCode());
    assertEquals(
        "the checkpoint "
            + set(7)
            + ", from which the program was to go on, could not be brought back: it is damaged",
        exit.getExecutorMessage());
    assertTrue("it is not tried again", store.isUntouched());

    store.fail(null);
    master.restart(1, 2);
    registered(2);
    master.start(2, "exit 4", resuming(6));
    started();
    assertEquals(4, exited(2).getExitCode());
    master.stop(2);
    assertEnded();
  }

  @Test
  public void shouldBringItBackAgainWhereThatFailed() throws Exception {
    pause = Duration.ofMillis(10);
    store.fail(new IOException("no connection"), 2);
    live();
    master.start(1, "exit $TONY_CHECKPOINT_STEP", resuming(9));
    started();
    assertEquals(9, exited(1).getExitCode());
    for (int i = 0; i < 3; i++) {
      store.nextBegun();
    }

    master.restart(1, 2);
    registered(2);
    store.fail(new IOException("no connection"));
    master.start(2, "exit 0", resuming(10));
    ExitedRequest exit = exited(2);
    assertTrue(exit.getExecutorMessage(), exit.getExecutorMessage().endsWith(": no connection"));
    for (int i = 0; i < 3; i++) {
      store.nextBegun();
    }
    assertTrue("three times are enough", store.isUntouched());
  }

  @Test
  public void shouldStopAtOnceBeforeItIsBroughtBackAgain() throws Exception {
    pause = Duration.ofMinutes(5);
    store.fail(new IOException("no connection"));
    live();
    master.start(1, "exit 0", resuming(7));
    store.nextBegun();

    master.stop(1);

    assertEquals(128 + 15, exited(1).getExitCode());
    assertEnded();
    assertTrue(store.isUntouched());
  }

  /** As where the cluster's file system does not answer, whoever interrupts the call. */
  @Test
  public void shouldNotWaitForOneThatWasGivenUp() throws Exception {
    store.hold();
    store.ignoreInterrupts();
    live();
    Checkpoints seven = resuming(7);
    master.start(1, "exit 3", seven);
    store.nextBegun();
    master.restart(1, 2);
    registered(2);

    master.start(2, "sleep 1000 & echo $TONY_CHECKPOINT_LATEST > pipe; wait", seven);
    assertEquals("the other one still waits", set(7), store.nextBegun());
    store.let(2);
    started();
    assertEquals(
        folder.resolve(".tony/checkpoint/2").resolve(set(7)).resolve("m.pt").toString(), told());
    assertFalse("it runs once", master.toldMore());
    master.stop(2);
    exited(2);
    assertEnded();
  }

  @Test
  public void shouldStopAtOnceWhileItIsBroughtBack() throws Exception {
    store.hold();
    live();
    master.start(1, "exit 0", resuming(7));
    store.nextBegun();

    master.stop(1);

    assertEquals(128 + 15, exited(1).getExitCode());
    assertEnded();
  }

  @Test
  public void shouldRestartAtOnceWhileItIsBroughtBack() throws Exception {
    store.hold();
    live();
    master.start(1, "exit 3", resuming(7));
    store.nextBegun();

    master.restart(1, 2);

    registered(2);
    master.start(2, "exit $TONY_CHECKPOINT_STEP", resuming(8));
    assertEquals(set(8), store.nextBegun());
    store.let(2);
    started();
    assertEquals(8, exited(2).getExitCode());
    assertFalse(master.toldMore());
  }
}
