package io.tony.am.checkpoint;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Event;
import io.tony.checkpoint.CheckpointFile;
import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.model.ClusterSpec;
import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which checkpoint a start goes on from, and which go, with manifests in a local file system. */
public class JobCheckpointsTest {
  private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");
  private static final String EARLIER = "application_1700000000000_0011";
  private static final String APPLICATION = "application_1700000000000_0012";
  private static final String LATER = "application_1700000000000_0013";
  private static final String TRAINING = "abc";

  /** As the pause before a question is asked again: what fails once fails. */
  private static final Duration LONG = Duration.ofMinutes(1);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final List<Event> events = new ArrayList<>();
  private final Map<String, String> options = new HashMap<>();
  private EventSink sink = events::add;
  private SampleJob sample = job().workers(2);
  private Instant now = NOW;

  /** Tells what it is asked; its folders cannot be listed while it is broken. */
  public static final class Watched extends RawLocalFileSystem {
    private static final List<String> LISTED = new CopyOnWriteArrayList<>();
    private static final List<String> OPENED = new CopyOnWriteArrayList<>();
    private static volatile boolean broken;

    @Override
    public URI getUri() {
      return URI.create("watched:///");
    }

    @Override
    public FileStatus[] listStatus(org.apache.hadoop.fs.Path path) throws IOException {
      LISTED.add(path.getName());
      if (broken) {
        throw new IOException("the NameNode is in safe mode");
      }
      return super.listStatus(path);
    }

    @Override
    public FSDataInputStream open(org.apache.hadoop.fs.Path path, int buffer) throws IOException {
      OPENED.add(path.getParent().getName());
      return super.open(path, buffer);
    }
  }

  private Path folder;

  @Before
  public void setUp() {
    Watched.LISTED.clear();
    Watched.OPENED.clear();
    Watched.broken = false;
    folder = temporary.getRoot().toPath().resolve("job");
    options.put(JobOptions.CHECKPOINT_DIR.key(), folder.toUri().toString());
    options.put(CheckpointOptions.TRAINING.key(), TRAINING);
  }

  private JobCheckpoints checkpoints() {
    JobSpec spec = sample.spec();
    Configuration conf = new Configuration();
    conf.setClass("fs.watched.impl", Watched.class, FileSystem.class);
    return new JobCheckpoints(
        conf,
        UserGroupInformation.createRemoteUser("ada"),
        TonyConfig.builder().layer("test", options).build(),
        spec,
        APPLICATION,
        sink,
        () -> now,
        new CheckpointTimeouts(LONG, LONG, LONG));
  }

  private void watch() {
    options.put(JobOptions.CHECKPOINT_DIR.key(), "watched://" + folder);
  }

  /** As an executor leaves it. */
  private Path keep(CheckpointName set, String task, int tasks, String training)
      throws IOException {
    TaskId id = TaskId.parse(task);
    Path there = sets().resolve(set.toString()).resolve(Manifest.folderOf(id));
    Files.createDirectories(there.resolve(Manifest.DATA));
    Manifest manifest =
        new Manifest(
            id,
            tasks,
            set.number(),
            true,
            NOW,
            EARLIER,
            "nightly.train, execution 17",
            training,
            "model.pt",
            false,
            List.of(new CheckpointFile("model.pt", 3, 7)));
    Files.writeString(there.resolve(Manifest.FILE), manifest.write());
    return there;
  }

  private void keepAll(CheckpointName set, String training, String... tasks) throws IOException {
    for (String task : tasks) {
      keep(set, task, tasks.length, training);
    }
  }

  private Path sets() {
    return folder.resolve(Manifest.FOLDER);
  }

  private static CheckpointName set(String application, int session, long number) {
    return new CheckpointName(CheckpointName.generation(application, session), number);
  }

  private static StartTask start(String task, int session, int attempt, boolean alone) {
    TaskKey key = new TaskKey(TaskId.parse(task), attempt, "container_1");
    return new StartTask(key, session, new ClusterSpec(Map.of()), 0, "", alone);
  }

  private static Checkpoints gang(JobCheckpoints checkpoints, String task, int session) {
    return checkpoints.prepareStart(start(task, session, session, false)).orElseThrow();
  }

  private List<ResumeDecision> told() {
    return events.stream().map(event -> ((Event.ResumePointChosen) event).fact()).toList();
  }

  // ---- A gang ----

  @Test
  public void shouldTellAFirstStartWhereToKeepAndNothingElse() {
    options.put("tony.azkaban.flow", "nightly");
    options.put("tony.azkaban.job", "train");
    options.put("tony.azkaban.execution", "18");
    JobCheckpoints checkpoints = checkpoints();

    Checkpoints chief = gang(checkpoints, "worker:0", 0);

    assertEquals(folder.toUri() + "/.tony", chief.getFolder().replace("file:/", "file:///"));
    assertEquals("1700000000000_0000000012_000000", chief.getUpload().getGeneration());
    assertEquals(0, chief.getUpload().getCounted());
    assertEquals(1, chief.getUpload().getTasks());
    assertEquals(TRAINING, chief.getUpload().getTraining());
    assertEquals(APPLICATION, chief.getUpload().getApplication());
    assertEquals("nightly.train, execution 18", chief.getUpload().getMaker());
    assertEquals(Duration.ofMinutes(5).toMillis(), chief.getCopyTimeoutMs());
    assertFalse(chief.hasResume());
    assertFalse("the chief alone keeps", gang(checkpoints, "worker:1", 0).hasUpload());
    assertEquals("there is nothing to tell", List.of(), events);
  }

  /** Else the next ApplicationMaster might choose another one for the rest of the gang. */
  @Test
  public void shouldTellNobodyWhatIsChosenBeforeItIsInTheLog() throws Exception {
    keepAll(set(EARLIER, 0, 7), TRAINING, "worker:0");
    BlockingQueue<Runnable> unrecorded = new LinkedBlockingQueue<>();
    sink =
        new EventSink() {
          @Override
          public void offer(Event event) {
            throw new AssertionError("nobody waits for its record: " + event);
          }

          @Override
          public void offer(Event event, Runnable recorded) {
            unrecorded.add(recorded);
          }
        };
    JobCheckpoints checkpoints = checkpoints();

    CompletableFuture<Checkpoints> told = new CompletableFuture<>();
    Thread writer = new Thread(() -> told.complete(gang(checkpoints, "worker:1", 0)));
    writer.start();

    Runnable recorded = unrecorded.take();
    while (writer.getState() != Thread.State.WAITING) {
      assertFalse(told.isDone());
      Thread.onSpinWait();
    }
    recorded.run();
    assertEquals(7, told.get().getResume().getNumber());
    assertEquals("it is chosen once", 7, gang(checkpoints, "worker:0", 0).getResume().getNumber());
  }

  @Test
  public void shouldGoOnFromTheNewestOfTheChiefs() throws IOException {
    keepAll(set(EARLIER, 0, 1_300), TRAINING, "worker:0");
    keepAll(set(EARLIER, 1, 1_200), TRAINING, "worker:0");
    JobCheckpoints checkpoints = checkpoints();

    Checkpoints other = gang(checkpoints, "worker:1", 0);

    assertEquals(set(EARLIER, 1, 1_200).toString(), other.getResume().getSet());
    assertEquals("worker-0", other.getResume().getTask());
    assertEquals(1_200, other.getResume().getNumber());
    assertEquals(1_200, gang(checkpoints, "worker:0", 0).getUpload().getCounted());
    assertEquals("told once", 1, events.size());
    ResumeDecision told = told().get(0);
    assertEquals("step 1200", told.from().displayName());
    assertEquals("nightly.train, execution 17", told.from().creator());
    assertTrue(told.from().uri(), told.from().uri().endsWith("/worker-0/data/model.pt"));
    assertTrue(told.from().uri(), told.from().uri().startsWith("file:"));
  }

  /** So that an update of TonY is no reason to start clean. */
  @Test
  public void shouldGoOnFromWhatTheSameTrainingMadeUnderTheHashOf02() throws IOException {
    options.put(CheckpointOptions.TRAINING.key(), TRAINING + ",as-0.2-had-it");
    keepAll(set(EARLIER, 0, 1), "as-0.2-had-it", "worker:0");

    Checkpoints chief = gang(checkpoints(), "worker:0", 0);

    assertEquals(set(EARLIER, 0, 1).toString(), chief.getResume().getSet());
    assertEquals("that of new ones", TRAINING, chief.getUpload().getTraining());
  }

  @Test
  public void shouldGiveSidecarsAndParameterServersNone() throws IOException {
    sample =
        job()
            .workers(1)
            .role("ps", 1, Supervision.UNTRACKED)
            .role("tensorboard", 1, Supervision.SIDECAR);
    keepAll(set(EARLIER, 0, 5), TRAINING, "worker:0");
    JobCheckpoints checkpoints = checkpoints();

    assertTrue(gang(checkpoints, "worker:0", 0).hasResume());
    assertEquals(Optional.empty(), checkpoints.prepareStart(start("ps:0", 0, 0, false)));
    assertEquals(Optional.empty(), checkpoints.prepareStart(start("tensorboard:0", 0, 0, false)));
  }

  @Test
  public void shouldPassOverWhatIsNotWhole() throws IOException {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    keepAll(set(EARLIER, 0, 100), TRAINING, "worker:0", "worker:1");
    keep(set(EARLIER, 0, 200), "worker:0", 2, TRAINING); // of one task
    keepAll(set(EARLIER, 0, 300), TRAINING, "worker:0", "worker:1", "worker:2"); // of three
    keep(set(EARLIER, 0, 400), "worker:1", 2, TRAINING);
    Path cut = keep(set(EARLIER, 0, 400), "worker:0", 2, TRAINING).resolve(Manifest.FILE);
    Files.writeString(cut, Files.readString(cut).replace("end\n", ""));
    keep(set(EARLIER, 0, 500), "worker:0", 2, TRAINING);
    Path damaged = keep(set(EARLIER, 0, 500), "worker:1", 2, TRAINING);
    Files.move(damaged, damaged.resolveSibling("worker-1.damaged"));
    keep(set(EARLIER, 0, 600), "worker:0", 2, TRAINING);
    Path unnamed = keep(set(EARLIER, 0, 600), "worker:1", 2, TRAINING);
    Files.move(unnamed, unnamed.resolveSibling(".worker-1-container_7"));
    Files.createDirectories(sets().resolve("somebody's own"));
    JobCheckpoints checkpoints = checkpoints();

    for (String task : List.of("worker:0", "worker:1")) {
      Checkpoints told = gang(checkpoints, task, 0);
      assertEquals(100, told.getResume().getNumber());
      assertEquals(task.replace(':', '-'), told.getResume().getTask());
      assertEquals(2, told.getUpload().getTasks());
    }
  }

  /** The gang's start is one for all: also for the task that asks when others have kept more. */
  @Test
  public void shouldChooseOnceForAStartAlsoUnderTheNextApplicationMaster() throws IOException {
    keepAll(set(EARLIER, 0, 100), TRAINING, "worker:0");
    assertEquals(100, gang(checkpoints(), "worker:0", 1).getResume().getNumber());
    keepAll(set(APPLICATION, 1, 150), TRAINING, "worker:0");

    assertEquals(
        "without a word in the log",
        100,
        gang(checkpoints(), "worker:1", 1).getResume().getNumber());

    JobCheckpoints next = checkpoints().restoreChoice(1, told().get(0));
    keepAll(set(EARLIER, 9, 120), TRAINING, "worker:0");
    assertEquals(100, gang(next, "worker:1", 1).getResume().getNumber());
    assertEquals("the next start", 150, gang(next, "worker:1", 2).getResume().getNumber());
  }

  @Test
  public void shouldNotGoOnFromALaterApplications() throws IOException {
    keepAll(set(EARLIER, 0, 100), TRAINING, "worker:0");
    keepAll(set(LATER, 0, 900), TRAINING, "worker:0");

    assertEquals(100, gang(checkpoints(), "worker:0", 3).getResume().getNumber());
  }

  @Test
  public void shouldStartCleanWhereTheNewestIsOfAnotherTraining() throws IOException {
    keepAll(set(EARLIER, 0, 100), TRAINING, "worker:0");
    keepAll(set(EARLIER, 1, 1_200), "another", "worker:0");

    Checkpoints told = gang(checkpoints(), "worker:0", 0);

    assertFalse(told.hasResume());
    assertEquals(0, told.getUpload().getCounted());
    assertEquals(
        "the newest checkpoint (step 1200, by "
            + EARLIER
            + ") was made with other commands, environment or files; tony.checkpoint.resume=always uses it all the same",
        told().get(0).cleanStartReason());
  }

  @Test
  public void shouldUseItAllTheSameWhereThatIsWanted() throws IOException {
    options.put(CheckpointOptions.RESUME.key(), "always");
    keepAll(set(EARLIER, 1, 1_200), "another", "worker:0");

    assertEquals(1_200, gang(checkpoints(), "worker:0", 0).getResume().getNumber());
  }

  @Test
  public void shouldNeverResumeWhereThatIsWanted() throws IOException {
    options.put(CheckpointOptions.RESUME.key(), "never");
    keepAll(set(EARLIER, 1, 1_200), TRAINING, "worker:0");

    Checkpoints told = gang(checkpoints(), "worker:0", 0);

    assertFalse(told.hasResume());
    assertTrue("it is kept all the same", told.hasUpload());
    assertEquals(List.of(), events);
  }

  @Test
  public void shouldKeepNothingWhereNoRoleIsNamed() throws IOException {
    options.put(CheckpointOptions.ROLES.key(), "");
    keepAll(set(EARLIER, 1, 1_200), TRAINING, "worker:0");

    assertEquals(Optional.empty(), checkpoints().prepareStart(start("worker:0", 0, 0, false)));
  }

  // ---- A task by itself ----

  @Test
  public void shouldGiveATaskThatStartsAloneItsOwnNewest() throws IOException {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    keepAll(set(EARLIER, 0, 100), TRAINING, "worker:0", "worker:1");
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    keep(set(APPLICATION, 0, 200), "worker:1", 2, TRAINING); // the other one has none yet

    Checkpoints told = checkpoints.prepareStart(start("worker:1", 0, 1, true)).orElseThrow();

    assertEquals(200, told.getResume().getNumber());
    assertEquals("worker-1", told.getResume().getTask());
    assertEquals(200, told.getUpload().getCounted());
    assertEquals(told, checkpoints.prepareStart(start("worker:1", 0, 1, true)).orElseThrow());
    assertEquals(Arrays.asList(null, new TaskId("worker", 1)), tasksTold());
    assertEquals(100, gang(checkpoints, "worker:0", 0).getResume().getNumber());
  }

  private List<TaskId> tasksTold() {
    List<TaskId> tasks = new ArrayList<>();
    told().forEach(fact -> tasks.add(fact.task()));
    return tasks;
  }

  @Test
  public void shouldGiveATaskThatStartsAloneTheChiefsNewest() throws IOException {
    keepAll(set(APPLICATION, 0, 200), TRAINING, "worker:0");

    Checkpoints told = checkpoints().prepareStart(start("worker:1", 0, 1, true)).orElseThrow();

    assertEquals("worker-0", told.getResume().getTask());
    assertEquals(200, told.getResume().getNumber());
  }

  /** Its numbers are used: what it keeps under one of them again would be lost. */
  @Test
  public void shouldCountOnFromItsOwnAlsoWhereItDoesNotResume() throws IOException {
    options.put(CheckpointOptions.RESUME.key(), "never");
    keepAll(set(APPLICATION, 0, 7), TRAINING, "worker:0");

    Checkpoints told = checkpoints().prepareStart(start("worker:0", 0, 1, true)).orElseThrow();

    assertFalse(told.hasResume());
    assertEquals(7, told.getUpload().getCounted());
  }

  // ---- A file system that does not do what it should ----

  @Test
  public void shouldStartCleanAndSaySoWhereTheFileSystemFails() {
    options.put(JobOptions.CHECKPOINT_DIR.key(), "watched:///c");
    Watched.broken = true;

    Checkpoints told = gang(checkpoints(), "worker:0", 0);

    assertFalse(told.hasResume());
    assertTrue(told.hasUpload());
    assertTrue(
        told().get(0).cleanStartReason(),
        told()
            .get(0)
            .cleanStartReason()
            .startsWith("the checkpoints in watched:/c/.tony cannot be listed: "));
  }

  @Test
  public void shouldLeaveProgramsAloneThatKeepTheirCheckpointsElsewhere() {
    for (String place : List.of("gs1://bucket/c", "::::")) {
      options.put(JobOptions.CHECKPOINT_DIR.key(), place);

      assertEquals(
          place, Optional.empty(), checkpoints().prepareStart(start("worker:0", 0, 0, false)));
      assertEquals(List.of(), events);
    }
  }

  // ---- What is not needed any more ----

  private List<String> left() throws IOException {
    try (Stream<Path> there = Files.list(sets())) {
      return new TreeSet<>(there.map(path -> path.getFileName().toString()).toList())
          .stream().toList();
    }
  }

  /** By an application whose first start has chosen. */
  private void sweep() throws InterruptedException {
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    sweep(checkpoints);
  }

  private static void sweep(JobCheckpoints checkpoints) throws InterruptedException {
    checkpoints.dropOld(true);
    checkpoints.finish();
  }

  private static List<String> names(CheckpointName... sets) {
    return Stream.of(sets).sorted().map(CheckpointName::toString).toList();
  }

  @Test
  public void shouldKeepTheNewestWholeSetsAndWhatIsNewer() throws Exception {
    CheckpointName older = set(EARLIER, 0, 9_000);
    CheckpointName partOld = set(APPLICATION, 0, 5);
    CheckpointName second = set(APPLICATION, 0, 10);
    CheckpointName part = set(APPLICATION, 1, 15);
    CheckpointName newest = set(APPLICATION, 1, 20);
    CheckpointName begun = set(APPLICATION, 1, 25);
    CheckpointName others = set(LATER, 0, 1);
    keepAll(older, TRAINING, "worker:0", "worker:1");
    keep(partOld, "worker:0", 2, TRAINING);
    keepAll(second, "another", "worker:0"); // of another number of tasks, and another training
    keep(part, "worker:0", 2, TRAINING);
    keepAll(newest, TRAINING, "worker:0", "worker:1");
    keep(begun, "worker:1", 2, TRAINING);
    keepAll(others, TRAINING, "worker:0");
    Files.createDirectories(sets().resolve("0-not-ours"));

    sweep();

    List<String> expected = new ArrayList<>(List.of("0-not-ours"));
    Stream.of(second, part, newest, begun, others).forEach(set -> expected.add(set.toString()));
    assertEquals(expected, left());
  }

  @Test
  public void shouldKeepAsManyAsTheJobWants() throws Exception {
    options.put(CheckpointOptions.KEEP.key(), "1");
    for (int number = 1; number <= 3; number++) {
      keepAll(set(APPLICATION, 0, number), TRAINING, "worker:0");
    }

    sweep();

    assertEquals(List.of(set(APPLICATION, 0, 3).toString()), left());
  }

  @Test
  public void shouldDeleteNothingWhereThereIsNothing() throws Exception {
    sweep();

    assertFalse(Files.exists(sets()));
  }

  /** One task of the gang may still read what the others have gone on from. */
  @Test
  public void shouldKeepWhatTheTasksOfThePresentStartGoOnFrom() throws Exception {
    CheckpointName first = set(EARLIER, 0, 1);
    keepAll(first, TRAINING, "worker:0");
    options.put(CheckpointOptions.KEEP.key(), "1");
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    CheckpointName ofTheTask = set(APPLICATION, 0, 10);
    keepAll(ofTheTask, TRAINING, "worker:0");
    checkpoints.prepareStart(start("worker:1", 0, 1, true));
    CheckpointName newest = set(APPLICATION, 0, 20);
    keepAll(newest, TRAINING, "worker:0");

    checkpoints.sweep();
    assertEquals(names(first, ofTheTask, newest), left());
    String alone = told().get(1).from().set();
    JobCheckpoints next =
        checkpoints().restoreChoice(0, told().get(0)).restoreSetsInUse(List.of(alone));
    next.sweep();
    assertEquals("the next ApplicationMaster", names(first, ofTheTask, newest), left());

    gang(next, "worker:0", 1);
    next.sweep();
    assertEquals("the next start goes on from the newest", names(newest), left());
  }

  @Test
  public void shouldLetGoWhatWasInUseWhenTheJobHasEnded() throws Exception {
    keepAll(set(EARLIER, 0, 1), TRAINING, "worker:0");
    options.put(CheckpointOptions.KEEP.key(), "1");
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    CheckpointName newest = set(APPLICATION, 0, 20);
    keepAll(newest, TRAINING, "worker:0");
    checkpoints.sweep();
    assertEquals(names(set(EARLIER, 0, 1), newest), left());

    checkpoints.finish();

    assertEquals(names(newest), left());
  }

  /** An application that shares the folder goes on from what it keeps. */
  @Test
  public void shouldKeepWhatAnotherApplicationKeptSince() throws Exception {
    CheckpointName seen = set(EARLIER, 0, 1);
    keepAll(seen, "another", "worker:0");
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    CheckpointName since = set(EARLIER, 0, 2);
    CheckpointName first = set(APPLICATION, 0, 3);
    CheckpointName second = set(APPLICATION, 0, 4);
    for (CheckpointName set : List.of(since, first, second)) {
      keepAll(set, TRAINING, "worker:0");
    }

    sweep(checkpoints);

    assertEquals(names(since, first, second), left());
  }

  @Test
  public void shouldLetGoWhatWasThereAlsoWhereItNeverResumes() throws Exception {
    options.put(CheckpointOptions.RESUME.key(), "never");
    keepAll(set(EARLIER, 0, 1), TRAINING, "worker:0");
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    keepAll(set(APPLICATION, 0, 3), TRAINING, "worker:0");
    keepAll(set(APPLICATION, 0, 4), TRAINING, "worker:0");

    sweep(checkpoints);

    assertEquals(names(set(APPLICATION, 0, 3), set(APPLICATION, 0, 4)), left());
  }

  /** What could not be seen may be what the job trained for days. */
  @Test
  public void shouldKeepAllThatAStartCouldNotSee() throws Exception {
    watch();
    CheckpointName good = set(EARLIER, 0, 1);
    CheckpointName own = set(APPLICATION, 0, 2);
    CheckpointName old = set(APPLICATION, 1, 3);
    CheckpointName second = set(APPLICATION, 1, 4);
    CheckpointName newest = set(APPLICATION, 1, 5);
    keepAll(good, TRAINING, "worker:0");
    JobCheckpoints checkpoints = checkpoints();
    gang(checkpoints, "worker:0", 0);
    Watched.broken = true;
    gang(checkpoints, "worker:0", 1);
    Watched.broken = false;
    for (CheckpointName set : List.of(own, old, second, newest)) {
      keepAll(set, TRAINING, "worker:0");
    }
    ResumeDecision clean = told().get(1);
    assertTrue(clean.cleanStartReason(), clean.cleanStartReason().contains("cannot be listed"));

    sweep(checkpoints().restoreChoice(1, clean));
    assertEquals("the next ApplicationMaster", names(good, own, second, newest), left());
    keepAll(old, TRAINING, "worker:0");
    sweep(checkpoints);
    assertEquals(names(good, own, second, newest), left());
  }

  @Test
  public void shouldLeaveThoseOfOthersWhereAnEarlierMasterChose() throws Exception {
    CheckpointName others = set(EARLIER, 0, 1);
    for (CheckpointName set : List.of(others, set(APPLICATION, 0, 2), set(APPLICATION, 0, 3))) {
      keepAll(set, TRAINING, "worker:0");
    }
    JobCheckpoints next = checkpoints().restoreChoice(1, null);
    gang(next, "worker:0", 1);

    sweep(next);

    assertTrue(left().contains(others.toString()));
  }

  /** One of two tasks keeps hardly any: the sets of the other must not pile up. */
  @Test
  public void shouldLetGoOldSetsThatDoNotBecomeWhole() throws Exception {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    List<CheckpointName> expected = new ArrayList<>();
    CheckpointName whole = set(APPLICATION, 0, 1);
    keepAll(whole, TRAINING, "worker:0", "worker:1");
    CheckpointName newestOfTheOther = set(APPLICATION, 0, 2);
    keep(newestOfTheOther, "worker:1", 2, TRAINING);
    expected.addAll(List.of(whole, newestOfTheOther));
    for (int number = 3; number < 40; number++) {
      CheckpointName set = set(APPLICATION, 0, number);
      keep(set, "worker:0", 2, TRAINING);
      if (number >= 40 - 16) {
        expected.add(set);
      }
    }

    sweep();

    assertEquals(names(expected.toArray(CheckpointName[]::new)), left());
  }

  /** It is behind the others, and each task goes on from its own. */
  @Test
  public void shouldSeeASetAgainThatATaskKeepsAnewAfterItWasDeleted() throws Exception {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    options.put(CheckpointOptions.KEEP.key(), "1");
    CheckpointName first = set(APPLICATION, 0, 1);
    CheckpointName newest = set(APPLICATION, 0, 2);
    JobCheckpoints checkpoints = checkpoints();
    keepAll(first, TRAINING, "worker:0", "worker:1");
    keepAll(newest, TRAINING, "worker:0");
    checkpoints.prepareStart(start("worker:0", 0, 0, true));
    checkpoints.sweep();
    assertEquals(names(newest), left());
    keep(first, "worker:1", 2, TRAINING);

    assertFalse(
        "it looked before the deletion",
        checkpoints.prepareStart(start("worker:1", 0, 0, true)).orElseThrow().hasResume());
    now = now.plus(CheckpointListingCache.CACHE_TTL);
    assertEquals(
        1,
        checkpoints
            .prepareStart(start("worker:1", 0, 1, true))
            .orElseThrow()
            .getResume()
            .getNumber());
    checkpoints.sweep();
    assertEquals("it is in use", names(first, newest), left());
  }

  @Test
  public void shouldKeepASetIntoWhichATaskMayJustBeWriting() throws Exception {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    CheckpointName before = set(APPLICATION, 0, 1);
    CheckpointName written = set(APPLICATION, 1, 2);
    CheckpointName leftover = set(APPLICATION, 1, 3);
    for (CheckpointName set : List.of(before, written, leftover)) {
      keepAll(set, TRAINING, "worker:0", "worker:1");
      Path unfinished = sets().resolve(set.toString()).resolve("worker-1");
      Files.move(unfinished, unfinished.resolveSibling(".worker-1-container_7-abc"));
    }
    keep(leftover, "worker:1", 2, TRAINING); // in its next attempt
    CheckpointName second = set(APPLICATION, 1, 4);
    CheckpointName newest = set(APPLICATION, 1, 5);
    keepAll(second, TRAINING, "worker:0", "worker:1");
    keepAll(newest, TRAINING, "worker:0", "worker:1");
    JobCheckpoints checkpoints = checkpoints().restoreChoice(1, null);

    checkpoints.sweep();
    assertEquals(names(written, second, newest), left());

    checkpoints.finish();
    assertEquals("nobody writes any more", names(second, newest), left());
  }

  // ---- What it costs ----

  @Test
  public void shouldReadOneManifestOfASetHoweverManyTasksKeep() throws Exception {
    watch();
    options.put(CheckpointOptions.ROLES.key(), "worker");
    sample = job().workers(4);
    keepAll(set(EARLIER, 0, 1), TRAINING, "worker:0", "worker:1", "worker:2", "worker:3");
    keep(set(EARLIER, 0, 2), "worker:0", 4, TRAINING);

    assertEquals(1, gang(checkpoints(), "worker:3", 0).getResume().getNumber());

    assertEquals(List.of("worker-0"), Watched.OPENED);
  }

  @Test
  public void shouldListOnceForManyTasksThatStartByThemselves() throws Exception {
    watch();
    sample = job().workers(100);
    keepAll(set(EARLIER, 0, 7), TRAINING, "worker:0");
    JobCheckpoints checkpoints = checkpoints();
    for (int index = 0; index < 100; index++) {
      StartTask start = start("worker:" + index, 0, 0, true);
      assertEquals(7, checkpoints.prepareStart(start).orElseThrow().getResume().getNumber());
    }
    assertEquals(List.of(Manifest.FOLDER, set(EARLIER, 0, 7).toString()), Watched.LISTED);
    assertEquals(List.of("worker-0"), Watched.OPENED);

    CheckpointName newest = set(APPLICATION, 0, 8);
    keepAll(newest, TRAINING, "worker:0");
    assertTrue(checkpoints.recordSaved(new TaskId("worker", 0), newest, "model.pt").isPresent());
    assertEquals(
        "the chief has just kept it",
        8,
        checkpoints
            .prepareStart(start("worker:0", 0, 1, true))
            .orElseThrow()
            .getUpload()
            .getCounted());
    now = now.plus(CheckpointListingCache.CACHE_TTL);
    assertEquals(
        "another one, later",
        8,
        checkpoints
            .prepareStart(start("worker:5", 0, 1, true))
            .orElseThrow()
            .getResume()
            .getNumber());
  }

  /** As when a queue preempts a whole job whose tasks serve and keep each for itself. */
  @Test
  public void shouldListOnceForManyTasksThatStartAgainByThemselves() throws Exception {
    watch();
    options.put(CheckpointOptions.ROLES.key(), "worker");
    sample = job().workers(100);
    CheckpointName set = set(APPLICATION, 0, 7);
    JobCheckpoints checkpoints = checkpoints();
    checkpoints.prepareStart(start("worker:0", 0, 0, true));
    for (int index = 0; index < 50; index++) {
      keep(set, "worker:" + index, 100, TRAINING);
      checkpoints.recordSaved(new TaskId("worker", index), set, "model.pt");
    }
    Watched.LISTED.clear();

    for (int index = 0; index < 100; index++) {
      Checkpoints told =
          checkpoints.prepareStart(start("worker:" + index, 0, 1, true)).orElseThrow();
      assertEquals(index < 50, told.hasResume());
      assertEquals(index < 50 ? 7 : 0, told.getUpload().getCounted());
    }

    assertEquals(List.of(Manifest.FOLDER, set.toString()), Watched.LISTED);
  }

  /** What it keeps under a number that it has used would be lost. */
  @Test
  public void shouldCountOnFromWhatWasHeardWhereTheFileSystemFails() throws Exception {
    watch();
    JobCheckpoints checkpoints = checkpoints();
    checkpoints.recordSaved(new TaskId("worker", 0), set(APPLICATION, 0, 7), "model.pt");
    Watched.broken = true;

    Checkpoints told = checkpoints.prepareStart(start("worker:0", 0, 1, true)).orElseThrow();

    assertFalse(told.hasResume());
    assertEquals(7, told.getUpload().getCounted());
  }

  @Test
  public void shouldNotWaitForTheFileSystemAgainForEachTaskThatStartsByItself() throws Exception {
    watch();
    Watched.broken = true;
    keepAll(set(EARLIER, 0, 7), TRAINING, "worker:0");
    JobCheckpoints checkpoints = checkpoints();

    assertFalse(checkpoints.prepareStart(start("worker:0", 0, 0, true)).orElseThrow().hasResume());
    int asked = Watched.LISTED.size();
    now = now.plusSeconds(59);
    assertFalse(checkpoints.prepareStart(start("worker:1", 0, 0, true)).orElseThrow().hasResume());
    assertEquals(asked, Watched.LISTED.size());
    assertTrue(
        told().get(1).cleanStartReason(),
        told().get(1).cleanStartReason().contains("cannot be listed"));
    now = now.plusSeconds(1);
    Watched.broken = false;
    assertTrue(checkpoints.prepareStart(start("worker:1", 0, 1, true)).orElseThrow().hasResume());
  }

  // ---- What is not as it should be ----

  @Test
  public void shouldPassOverAManifestThatIsTooLongOrNamesNoFile() throws Exception {
    keepAll(set(EARLIER, 0, 1), TRAINING, "worker:0");
    Path named = keep(set(EARLIER, 0, 2), "worker:0", 1, TRAINING).resolve(Manifest.FILE);
    Files.writeString(named, Files.readString(named).replace("model.pt", "a:b"));
    Path tooLong = keep(set(EARLIER, 0, 3), "worker:0", 1, TRAINING).resolve(Manifest.FILE);
    String text = Files.readString(tooLong);
    Files.writeString(
        tooLong, text.replace("maker: ", "more: " + "x".repeat(8 << 20) + "\nmaker: "));

    assertEquals(1, gang(checkpoints(), "worker:0", 0).getResume().getNumber());
  }

  @Test
  public void shouldSayThatTheNewestIsOfAnotherNumberOfTasks() throws Exception {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    keepAll(set(EARLIER, 0, 1), TRAINING, "worker:0", "worker:1", "worker:2", "worker:3");
    keep(set(EARLIER, 0, 2), "worker:1", 2, TRAINING);

    assertFalse(gang(checkpoints(), "worker:0", 0).hasResume());
    assertEquals(
        "the newest checkpoint is of 4 tasks, and 2 keep one now",
        told().get(0).cleanStartReason());
  }

  // ---- What executors say to have kept ----

  @Test
  public void shouldBelieveOnlyWhatAStartOfThisJobCanHaveKept() {
    TaskId chief = new TaskId("worker", 0);
    JobCheckpoints checkpoints = checkpoints().restoreChoice(1, null);

    String place = checkpoints.recordSaved(chief, set(APPLICATION, 1, 7), "model.pt").orElseThrow();
    assertTrue(
        place, place.endsWith("/.tony/" + set(APPLICATION, 1, 7) + "/worker-0/data/model.pt"));
    assertTrue(
        checkpoints.recordSaved(chief, set(APPLICATION, 0, 7), "").orElseThrow().endsWith("/data"));
    for (CheckpointName set :
        List.of(set(EARLIER, 0, 7), set(LATER, 0, 7), set(APPLICATION, 2, 7))) {
      assertEquals(Optional.empty(), checkpoints.recordSaved(chief, set, "model.pt"));
    }
    assertEquals(
        "it keeps none",
        Optional.empty(),
        checkpoints.recordSaved(new TaskId("worker", 1), set(APPLICATION, 1, 7), "model.pt"));
    assertEquals(OptionalInt.empty(), checkpoints.attempt(new TaskId("worker", 1)));
    assertEquals(OptionalInt.of(0), checkpoints.attempt(chief));
    gang(checkpoints, "worker:0", 2);
    assertTrue(checkpoints.recordSaved(chief, set(APPLICATION, 2, 7), "model.pt").isPresent());
    assertEquals(OptionalInt.of(2), checkpoints.attempt(chief));
  }

  @Test
  public void shouldBelieveNothingOfATaskThatTheJobDoesNotHave() {
    options.put(CheckpointOptions.ROLES.key(), "worker");
    JobCheckpoints checkpoints = checkpoints();
    for (String task : List.of("worker:2", "evaluator:0")) {
      TaskId stranger = TaskId.parse(task);
      assertEquals(OptionalInt.empty(), checkpoints.attempt(stranger));
      assertEquals(
          Optional.empty(), checkpoints.recordSaved(stranger, set(APPLICATION, 0, 7), "model.pt"));
    }
  }

  // ---- How long executors may copy ----

  @Test
  public void shouldGiveCopiesHalfOfWhatATaskMayTakeToRegister() {
    options.put(JobOptions.REGISTRATION_TIMEOUT.key(), "4m");
    assertEquals(
        "but for 3 s until the program has ended, and 5 s in which the rest is told",
        Duration.ofSeconds(116).toMillis(),
        gang(checkpoints(), "worker:0", 0).getCopyTimeoutMs());
    options.put(JobOptions.REGISTRATION_TIMEOUT.key(), "6s");
    assertEquals(1_000, gang(checkpoints(), "worker:0", 0).getCopyTimeoutMs());
    options.put(CheckpointOptions.COPY_TIMEOUT.key(), "3m");
    assertEquals(
        Duration.ofMinutes(3).toMillis(), gang(checkpoints(), "worker:0", 0).getCopyTimeoutMs());
  }
}
