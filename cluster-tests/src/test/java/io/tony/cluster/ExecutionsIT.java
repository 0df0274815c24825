package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Before;
import org.junit.Test;

/** What one execution of a flow leaves for the next execution of the same step. */
public class ExecutionsIT extends ClusterTest {
  private static final String TELL_FOLDER = "echo $TONY_CHECKPOINT_DIR";

  private Path go;
  private String waits;

  @Before
  public void nameTheProgramsFiles() {
    go = folder.getRoot().toPath().resolve("go");
    waits = TELL_FOLDER + "; while [ ! -e " + go + " ]; do sleep 0.1; done";
  }

  /** A step of an Azkaban flow, by what the plugin tells of it. */
  private TonyCommand step(String job, int execution, String command, String... options)
      throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "tony.azkaban.project=recommender",
                "tony.azkaban.flow=nightly",
                "tony.azkaban.execution=" + execution,
                "tony.azkaban.job=" + job,
                "tony.worker.instances=1"));
    all.addAll(List.of(options));
    List<String> arguments = new ArrayList<>(List.of("-executes", command));
    all.forEach(option -> arguments.addAll(List.of("-conf", option)));
    return submit(arguments.toArray(String[]::new));
  }

  private String runs(TonyCommand first) throws Exception {
    first.await("1/1 tasks running");
    return first.application();
  }

  private static void signalMaster(String application, String signal) throws Exception {
    long pid = master(application).pid();
    assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor());
  }

  @Test
  public void shouldFollowWithinHalfAMinuteWhatAnExecutionLeftWhoseClientWasKilled()
      throws Exception {
    int before = applications();
    try (TonyCommand first = step("killed", 1, waits)) {
      String application = runs(first);
      first.kill();
      Instant begun = Instant.now();
      try (TonyCommand second = step("killed", 2, waits)) {
        second.await(application + " of execution 1 of this step is there already");
        second.await(" was left without a client; options and files are the same");
        Duration taken = Duration.between(begun, Instant.now());
        assertTrue(taken.toString(), taken.compareTo(Duration.ofSeconds(30)) < 0);
        Files.createFile(go);
        second.assertExit(0);
      }
    }
    assertEquals(before + 1, applications());
  }

  @Test
  public void shouldTakeTheResultOfWhatEndsWhileItIsLookedAt() throws Exception {
    int before = applications();
    String program = waits + "; sleep 6"; // several looks, and fewer than say that nobody follows
    try (TonyCommand first = step("ended", 1, program)) {
      String application = runs(first);
      first.kill();
      try (TonyCommand second = step("ended", 2, program)) {
        second.await("is there already");
        Files.createFile(go);
        second.assertExit(0);
        assertTrue(
            second.text(),
            second
                .text()
                .contains(
                    application
                        + " of execution 1 of this step has ended meanwhile: SUCCEEDED, without a"
                        + " client; options and files are the same, and its result is taken"));
      }
    }
    assertEquals(before + 1, applications());
  }

  @Test
  public void shouldRunAnewWhatFailsWhileItIsLookedAt() throws Exception {
    int before = applications();
    String fails = waits + "; [ -e " + go + ".again ] || { touch " + go + ".again; exit 3; }";
    try (TonyCommand first = step("failed", 1, fails)) {
      runs(first);
      first.kill();
      try (TonyCommand second = step("failed", 2, fails)) {
        second.await("is there already");
        Files.createFile(go);
        second.await("has ended meanwhile: FAILED; this execution runs the step anew");
        second.assertExit(0);
      }
    }
    assertEquals(before + 2, applications());
  }

  @Test
  public void shouldNameWhatGoesOnWhenItIsStoppedWhileItLooks() throws Exception {
    try (TonyCommand first = step("left", 1, waits)) {
      String application = runs(first);
      try (TonyCommand second = step("left", 2, waits)) {
        second.await("is there already");
        second.terminate();
        second.assertExit(143);
        assertTrue(
            second.text(),
            second
                .text()
                .contains(
                    application
                        + " of execution 1 of this step was found alive, and goes on (to end it:"
                        + " tony kill "
                        + application
                        + ")"));
      }
      assertEquals(YarnApplicationState.RUNNING, report(application).getYarnApplicationState());
      Files.createFile(go);
      first.assertExit(0);
    }
  }

  @Test
  public void shouldKeepCheckpointsApartFromALivingExecutionOfTheStep() throws Exception {
    String scope = "tony.checkpoint.scope=step";
    try (TonyCommand first = step("apart", 1, waits, scope)) {
      String application = runs(first);
      try (TonyCommand second = step("apart", 2, waits, scope)) {
        second.await(
            " of execution 1 of this step is alive, and so is its client: it is left alone, with"
                + " the step's checkpoints. This execution keeps its own in hdfs://");
        second.await("1/1 tasks running");
        Files.createFile(go);
        first.assertExit(0);
        second.assertExit(0);
        String other = submitted(second);
        assertNotEquals(checkpointFolder(application), checkpointFolder(other));
        assertTrue(
            checkpointFolder(other),
            checkpointFolder(other).contains("recommender.nightly.2.apart-"));
      }
      try (TonyCommand third = step("apart", 3, waits, scope)) {
        third.assertExit(0);
        assertEquals(checkpointFolder(application), checkpointFolder(submitted(third)));
      }
    }
  }

  @Test
  public void shouldRefuseToWriteTheCheckpointsOfALivingExecution() throws Exception {
    String shared = "tony.application.checkpoint-dir=/checkpoints/shared";
    int before = applications();
    try (TonyCommand first = step("shared", 1, waits, shared)) {
      String application = runs(first);
      try (TonyCommand second = step("shared", 2, waits, shared)) {
        second.assertExit(2);
        assertTrue(
            second.text(),
            second
                .text()
                .contains(
                    "both would write the checkpoints of"
                        + " tony.application.checkpoint-dir=/checkpoints/shared: wait for its end,"
                        + " kill it (tony kill "
                        + application
                        + ")"));
      }
      Files.createFile(go);
      first.assertExit(0);
    }
    assertEquals(before + 1, applications());
  }

  /** Azkaban retries a flow as a new execution, and tells only that it does. */
  @Test
  public void shouldHaveTheCheckpointsOfTheExecutionThatAFlowRetryRepeats() throws Exception {
    // Two failures of one kind would be reason enough to submit nothing.
    Path starts = go.resolveSibling("starts");
    String fails =
        TELL_FOLDER
            + "; echo >> "
            + starts
            + "; [ -e "
            + go
            + " ] || exit $(wc -l < "
            + starts
            + ")";
    String retry = "tony.azkaban.execution-source=retry";
    String first = ended(step("retried", 1, fails, retry), 1); // nothing to repeat
    String second = ended(step("retried", 2, fails, retry), 1);
    String third = ended(step("retried", 3, fails, retry), 1); // what repeats a repetition
    String fresh = ended(step("retried", 4, fails), 1);
    Files.createFile(go);
    String unwanted = ended(step("retried", 5, fails, retry, "tony.checkpoint.resume=never"), 0);
    String after = ended(step("retried", 6, fails, retry), 0); // the newest has succeeded

    assertTrue(
        checkpointFolder(first),
        checkpointFolder(first).contains("recommender.nightly.1.retried-"));
    assertEquals(checkpointFolder(first), checkpointFolder(second));
    assertEquals(checkpointFolder(first), checkpointFolder(third));
    assertTrue(
        checkpointFolder(fresh),
        checkpointFolder(fresh).contains("recommender.nightly.4.retried-"));
    assertTrue(
        checkpointFolder(unwanted), checkpointFolder(unwanted).contains("nightly.5.retried-"));
    assertTrue(checkpointFolder(after), checkpointFolder(after).contains("nightly.6.retried-"));
  }

  /** A master that stands still is no reason to train beside it. */
  @Test
  public void shouldFollowAMasterThatDoesNotAnswerAndLeftNoClient() throws Exception {
    int before = applications();
    try (TonyCommand first = step("silent", 1, waits)) {
      String application = runs(first);
      first.kill();
      signalMaster(application, "STOP");
      try (TonyCommand second = step("silent", 2, waits, "tony.azkaban.client-stale-after=10s")) {
        second.await(
            application
                + " of execution 1 of this step was left without a client; options and files are"
                + " the same");
        signalMaster(application, "CONT");
        Files.createFile(go);
        second.assertExit(0);
      }
    }
    assertEquals(before + 1, applications());
  }

  private static String ended(TonyCommand command, int exitCode) throws Exception {
    try (command) {
      command.assertExit(exitCode);
      return submitted(command);
    }
  }

  /** Its own, whichever others it names before. */
  private static String submitted(TonyCommand command) {
    return command.lines().stream()
        .filter(line -> line.contains(" submitted to queue "))
        .map(line -> line.replaceFirst(".*(application_\\d+_\\d+) submitted.*", "$1"))
        .findFirst()
        .orElseThrow();
  }

  private static String checkpointFolder(String application) throws Exception {
    return log(application, "worker:0", "stdout").strip();
  }
}
