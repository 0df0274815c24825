package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.CheckpointPlan;
import io.tony.model.TaskId;
import io.tony.process.ScarceKernel;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** With a store that waits when it is told to. */
public class CheckpointUploaderTest {
  private static final String GENERATION = CheckpointName.generation("application_1_2", 3);
  private static final TaskId WORKER = new TaskId("worker", 1);
  private static final Duration LONG = Duration.ofMinutes(5);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final TestingStore store = new TestingStore();
  private final BlockingQueue<CheckpointOutcome> told = new LinkedBlockingQueue<>();
  private Path folder;
  private CheckpointWorkFolders folders;
  private CheckpointUploader keeper;

  @Before
  public void begin() throws IOException {
    folder = temporary.getRoot().toPath();
    folders = CheckpointWorkFolders.create(folder, Spawner.SYSTEM);
  }

  @After
  public void close() {
    keeper.close();
  }

  private static CheckpointPlan checkpoints(int tasks, long counted) {
    return new CheckpointPlan(
        "hdfs://c/x/.tony",
        new CheckpointPlan.Upload(GENERATION, counted, tasks, "ab", "application_1_2", "me"),
        null,
        1);
  }

  private void keep(int tasks, long counted) throws IOException {
    keep(tasks, counted, Spawner.SYSTEM);
  }

  private void keep(int tasks, long counted, Spawner spawner) throws IOException {
    keeper =
        CheckpointUploader.start(
            checkpoints(tasks, counted), WORKER, folders, store, told::add, spawner);
  }

  private static String set(long number) {
    return new CheckpointName(GENERATION, number).toString();
  }

  /** Writes a checkpoint, and then names it. */
  private void name(String path, String rest) throws IOException {
    Files.writeString(folder.resolve(path), path);
    line(path + rest);
  }

  private void line(String line) throws IOException {
    Files.writeString(
        folders.namesFile(), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** All lines so far are read when it is told that there is no such file. */
  private void awaitLook() throws IOException, InterruptedException {
    line("missing");
    CheckpointOutcome missing = told.take();
    assertEquals("missing", missing.path());
    assertTrue(missing.problem(), missing.problem().contains("missing does not exist"));
  }

  @Test
  public void shouldKeepWhatIsNamedOnTheWay() throws Exception {
    keep(1, 0);
    long before = System.currentTimeMillis();
    name("a.pt", " step=1200");

    CheckpointOutcome kept = told.take();

    assertNull(kept.problem());
    assertEquals(set(1200), kept.checkpointName());
    assertTrue(kept.hasStep());
    assertEquals("a.pt", kept.path());
    assertEquals("hdfs://c/x/.tony/" + set(1200) + "/worker-1/data/a.pt", kept.uri());
    assertTrue(kept.namedMs() >= before && kept.namedMs() <= System.currentTimeMillis());
    assertEquals(Map.of("a.pt", "a.pt"), store.contents(set(1200)));
    Manifest manifest = store.manifest(set(1200));
    assertEquals(new TaskId("worker", 1), manifest.task());
    assertEquals(kept.namedMs(), manifest.createdAt().toEpochMilli());
    assertEquals("ab me", manifest.trainingHash() + " " + manifest.creator());
    assertFalse(keeper.ended().isDone());
    keeper.finish(LONG);
    keeper.ended().get();
    try (Stream<Path> links = Files.list(folders.links(1).getParent())) {
      assertEquals(List.of(), links.toList());
    }
  }

  @Test
  public void shouldCountOnWhereThereAreNoSteps() throws Exception {
    keep(1, 41);
    name("a", "");
    assertEquals(set(42), told.take().checkpointName());
    awaitLook();
    name("b", "");
    CheckpointOutcome kept = told.take();
    assertEquals(set(44), kept.checkpointName());
    assertFalse(kept.hasStep());
    name("c", " step=100");
    assertEquals(set(100), told.take().checkpointName());
    name("d", "");
    assertEquals("behind the last one", set(101), told.take().checkpointName());
  }

  @Test
  public void shouldCopyOnlyTheNewestOfWhatWaitsWhereNoOtherTaskKeepsAny() throws Exception {
    store.hold();
    keep(1, 0);
    name("a", " step=1");
    assertEquals(set(1), store.nextBegun());
    name("b", " step=2");
    name("c", " step=3");
    awaitLook();

    store.let(3);

    assertEquals("a", told.take().path());
    assertEquals("c", told.take().path());
    assertEquals(2, store.sets());
  }

  @Test
  public void shouldCopyAllWhereOthersKeepTheSameOnesAndSayWhatIsTooMuch() throws Exception {
    store.hold();
    keep(2, 0);
    name("0", " step=1");
    store.nextBegun();
    for (int i = 1; i <= CopyQueue.MAX_WAITING; i++) {
      name(Integer.toString(i), "");
    }
    awaitLook();
    name("more", "");
    CheckpointOutcome more = told.take();
    assertEquals("more", more.path());
    assertTrue(more.problem(), more.problem().startsWith("8 checkpoints wait to be copied"));

    store.let(20);

    for (int i = 0; i <= CopyQueue.MAX_WAITING; i++) {
      assertEquals(Integer.toString(i), told.take().path());
    }
  }

  @Test
  public void shouldKeepALastLineWithoutALineBreakWhenTheProgramHasEnded() throws Exception {
    keep(1, 0);
    Files.writeString(folder.resolve("last.pt"), "l");
    Files.writeString(folders.namesFile(), "last.pt step=9");

    keeper.finish(LONG);

    assertEquals(set(9), told.take().checkpointName());
    keeper.ended().get();
  }

  @Test
  public void shouldGiveUpWhatIsNotCopiedInTimeAndSaySo() throws Exception {
    store.hold();
    store.ignoreInterrupts();
    keep(2, 0);
    name("a", "");
    store.nextBegun();
    name("b", "");
    awaitLook();

    keeper.finish(LONG);
    keeper.finish(Duration.ofMillis(20)); // a stop has come

    keeper.ended().get();
    for (String path : List.of("a", "b")) {
      CheckpointOutcome left = told.take();
      assertEquals(path, left.path());
      assertNull(left.uri());
      assertTrue(left.problem(), left.problem().contains("tony.checkpoint.copy-timeout"));
    }
    store.let(2);
    store.awaitCopierEnded();
    assertEquals("the copy was made all the same", 1, store.sets());
    assertTrue("it was told to be given up", told.isEmpty());
  }

  @Test
  public void shouldNotHaveMoreTimeThanAStopLeaves() throws Exception {
    store.hold();
    keep(1, 0);
    name("a", "");
    store.nextBegun();

    keeper.finish(Duration.ofMillis(20));
    keeper.finish(LONG);

    keeper.ended().get();
    assertEquals("a", told.take().path());
  }

  @Test
  public void shouldSayWhyACopyFailed() throws Exception {
    store.fail(new IOException("the quota is exceeded"));
    keep(1, 0);
    name("a", " step=5");

    CheckpointOutcome left = told.take();
    assertEquals("the quota is exceeded", left.problem());
    assertEquals(set(5), left.checkpointName());

    store.fail(null);
    name("b", " step=6");
    assertNull("the next is tried", told.take().problem());
  }

  @Test
  public void shouldNotKeepWhatIsChangedWhileItIsCopied() throws Exception {
    store.hold();
    keep(1, 0);
    name("a", "");
    store.nextBegun();

    Files.writeString(folder.resolve("a"), "!", StandardOpenOption.APPEND);
    store.let(1);

    CheckpointOutcome left = told.take();
    assertTrue(left.problem(), left.problem().startsWith("'a' was changed while it was copied"));
    assertEquals(0, store.sets());
  }

  @Test
  public void shouldSayNothingOfAStepThatIsKeptAlready() throws Exception {
    keep(2, 0);
    name("a", " step=5");
    assertEquals("a", told.take().path());
    name("b", " step=5");
    name("c", " step=6");
    keeper.finish(LONG);
    keeper.ended().get();

    assertEquals("c", told.take().path());
    assertTrue(told.isEmpty());
    assertEquals(Map.of("a", "a"), store.contents(set(5)));
  }

  /** As where a program saves its model into the file. */
  @Test
  public void shouldLeaveAFileAloneThatNamesNoCheckpoints() throws Exception {
    keep(1, 0);
    Files.writeString(folders.namesFile(), "missing\n".repeat(10_000));

    for (int i = 0; i < CheckpointUploader.MAX_STRAY_LINES; i++) {
      assertTrue(told.take().problem().contains("not exist"));
    }
    CheckpointOutcome last = told.take();
    assertTrue(last.problem(), last.problem().startsWith("100 lines one after the other named no"));
    name("a", "");
    keeper.finish(LONG);
    keeper.ended().get();
    assertTrue(told.isEmpty());
    assertTrue(store.isUntouched());
  }

  @Test
  public void shouldReadOnWhereSomeLinesNameACheckpoint() throws Exception {
    keep(1, 0);
    for (int part = 0; part < 3; part++) {
      Files.writeString(
          folders.namesFile(),
          "missing\n".repeat(60),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      name("a" + part, "");
      for (int i = 0; i < 60; i++) {
        assertTrue(told.take().problem().contains("not exist"));
      }
      assertNull(told.take().problem());
    }
  }

  @Test
  public void shouldKeepAgainWhenTheClustersFileSystemIsThereAgain() throws Exception {
    store.hold();
    store.fail(new IOException("no NameNode"), 1 + CopyQueue.MAX_WAITING);
    keep(2, 0);
    name("a", "");
    store.nextBegun();
    line("a" + "\na".repeat(CopyQueue.MAX_WAITING + UploadReporter.MAX_PROBLEMS));
    for (int i = 0; i < UploadReporter.MAX_PROBLEMS; i++) {
      assertTrue(told.take().problem().startsWith("8 checkpoints wait"));
    }
    assertTrue(told.take().problem().startsWith("100 checkpoints one after the other"));

    store.let(300);
    for (int i = 0; i < CopyQueue.MAX_WAITING; i++) {
      store.nextBegun();
    }
    name("last", "");

    CheckpointOutcome kept = told.take();
    assertNull(kept.problem());
    assertEquals("last", kept.path());
  }

  @Test
  public void shouldNotHoldMoreFilesThanOneCheckpointMayHave() throws Exception {
    store.hold();
    keep(2, 0);
    name("0", " step=1");
    store.nextBegun();
    for (String many : List.of("b", "c")) {
      String touch = "mkdir " + many + " && cd " + many + " && touch {0..5000}";
      assertEquals(
          0, new ProcessBuilder("bash", "-c", touch).directory(folder.toFile()).start().waitFor());
      line(many);
    }

    CheckpointOutcome more = told.take();
    assertEquals("c", more.path());
    assertTrue(
        more.problem(),
        more.problem().startsWith("it has 5001 files, and 5001 of earlier checkpoints wait"));
    store.let(2);
    assertEquals("0", told.take().path());
    assertEquals("b", told.take().path());
  }

  @Test
  public void shouldReadAllThatAProgramHasNamedAtItsEnd() throws Exception {
    keep(1, 0);
    for (int i = 1; i <= 2 * NamedCheckpointReader.MAX_LINES; i++) {
      Files.writeString(folder.resolve("a" + i), "");
    }
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= 2 * NamedCheckpointReader.MAX_LINES; i++) {
      all.append('a').append(i).append('\n');
    }
    Files.writeString(folders.namesFile(), all);

    keeper.finish(LONG);
    keeper.ended().get();

    assertEquals("a128", told.stream().reduce((before, kept) -> kept).orElseThrow().path());
  }

  @Test
  public void shouldSayThatALineIsNoPath() throws Exception {
    keep(1, 0);
    line("x".repeat(5_000));
    CheckpointOutcome refused = told.take();
    assertTrue(refused.problem(), refused.problem().startsWith("a line of more than 4096 bytes"));
    assertEquals(500, refused.path().length());
  }

  /** A program that is asked just after it has saved names the same once more. */
  @Test
  public void shouldAnswerAQuestionWithACheckpointThatIsKeptAlready() throws Exception {
    keep(1, 0);
    name("a", " step=7");
    assertEquals(set(7), told.take().checkpointName());
    line("a step=7");
    awaitLook(); // nobody has asked: that it is kept is told once

    keeper.recordRequest(4711);
    line("a step=7");

    CheckpointOutcome answer = told.take();
    assertEquals(set(7), answer.checkpointName());
    assertEquals(4711, answer.askedMs());
    assertNull(answer.problem());
  }

  @Test
  public void shouldTellThatThereIsNoThreadForACopyAndCopyTheNext() throws Exception {
    keep(1, 0, new Spawner(ScarceKernel.withoutThreads(2, 1)));
    name("a", "");
    CheckpointOutcome first = told.take();
    assertTrue(
        first.problem(), first.problem().startsWith("no thread can be had for checkpoint-copy: "));

    name("b", "");

    CheckpointOutcome second = told.take();
    assertEquals("b", second.path());
    assertNull(second.problem());
  }

  @Test
  public void shouldEndSoonAfterTheLimitThoughALookHangs() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    store.hold();
    keeper =
        CheckpointUploader.start(
            checkpoints(1, 0),
            WORKER,
            folders,
            store,
            kept -> {
              if (kept.path().equals("missing")) {
                hangs.countDown();
                awaitUninterruptibly(goesOn);
              }
              told.add(kept);
            },
            Spawner.SYSTEM,
            Duration.ofMillis(50));
    name("a", "");
    store.nextBegun();
    line("missing");
    hangs.await();

    keeper.finish(Duration.ofMillis(20));

    keeper.awaitEnd();
    CheckpointOutcome left = told.take();
    assertEquals("a", left.path());
    assertNull(left.uri());
    goesOn.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  public void shouldEndAtOnceWhereNothingWasNamed() throws Exception {
    keep(1, 0);
    keeper.finish(LONG);
    keeper.ended().get();
    assertTrue(store.isUntouched());
    assertTrue(told.isEmpty());
  }
}
