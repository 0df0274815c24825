package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import io.tony.container.Staging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A step of which YARN has nothing yet: it is submitted, unless it is stopped before. */
public class SubmittedRunTest {
  private static final String SIGNAL = "a signal to its client";
  private static final String ID = ReportedYarn.APPLICATION.toString();

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ReportedYarn yarn = new ReportedYarn();
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final Map<String, String> options = new TreeMap<>();
  private Path root;
  private Path jar;

  @Before
  public void beStep() throws IOException {
    root = temporary.getRoot().toPath();
    jar = Files.writeString(root.resolve("tony-core.jar"), "this program");
    options.putAll(
        Map.of(
            "tony.azkaban.project",
            "recommender",
            "tony.azkaban.flow",
            "nightly",
            "tony.azkaban.execution",
            "8",
            "tony.azkaban.job",
            "train",
            "tony.worker.instances",
            "1",
            "tony.containers.command",
            "true",
            "tony.staging.location",
            root.toUri() + "staging",
            "tony.history.location",
            root.toUri() + "history",
            "tony.cache.location",
            root.toUri() + "cache",
            TaskOptions.STOP_GRACE.key(),
            "120000"));
    QueueInfo queue = Records.newRecord(QueueInfo.class);
    queue.setQueueName("default");
    queue.setQueueState(QueueState.RUNNING);
    yarn.showQueue(queue);
  }

  private JobRun attempt() {
    return new JobRun(
            new Configuration(),
            yarn,
            Login.byTicket(),
            TonyConfig.builder().layer("test", options).build(),
            JobFolder.of(root),
            new ReportTargets(root.resolve("status"), null, false, false),
            new JobLog(told))
        .withJar(jar);
  }

  private static FutureTask<ExitCode> start(JobRun attempt) {
    FutureTask<ExitCode> end = new FutureTask<>(attempt::run);
    start(end);
    return end;
  }

  private static Thread start(FutureTask<?> what) {
    Thread thread = new Thread(what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void awaitWait(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  private List<String> told() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private boolean isTold(String words) {
    return told().stream().anyMatch(line -> line.contains(words));
  }

  private List<String> status() throws IOException {
    return Files.readAllLines(root.resolve("status"));
  }

  private Path staged() {
    return root.resolve("staging").resolve(ID);
  }

  @Test
  public void shouldSubmitAndTellWhatItSubmitted() throws Exception {
    yarn.holdSubmissions();
    JobRun attempt = attempt();
    FutureTask<ExitCode> end = start(attempt);
    yarn.awaitSubmission();

    assertEquals("this program", Files.readString(staged().resolve(Staging.JAR)));
    assertTrue("it can be killed from now on", status().contains("application.id=" + ID));
    assertTrue(status().toString(), status().contains("stop.limit.ms=150000"));
    assertFalse(status().toString(), status().contains("state=SUBMITTED"));
    assertEquals(ID, attempt.application().orElseThrow().id().toString());
    yarn.answerSubmissions();
    yarn.awaitLooks(2); // the first is for its page
    assertTrue(status().toString(), status().contains("state=SUBMITTED"));
    assertFalse("it is YARN's now", attempt.tryAbandon());
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

    assertEquals(ExitCode.INFRASTRUCTURE, end.get());
    assertTrue(told().toString(), isTold("uploaded"));
    assertTrue(told().toString(), isTold(ID + " submitted to queue default"));
    assertTrue(told().toString(), isTold(ReportedYarn.TRACKING_URL));
    assertTrue("nothing is to be done", attempt.cancel(SIGNAL));
    assertFalse(told().toString(), isTold(SIGNAL));
  }

  @Test
  public void shouldDeleteWhatAnEarlierJobHasLeft() throws Exception {
    Path left = Files.createDirectories(root.resolve("staging/application_1_0009"));
    Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofDays(30))));
    yarn.showAlso(EndedRuns.id(9), YarnApplicationState.FINISHED);
    yarn.holdSubmissions();
    FutureTask<ExitCode> end = start(attempt());
    yarn.awaitSubmission();
    yarn.answerSubmissions();
    yarn.awaitLooks(3);
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

    end.get();
    assertFalse("its end waits for that", Files.exists(left));
  }

  @Test
  public void shouldSubmitNothingInADryRun() throws Exception {
    options.put("tony.azkaban.dry-run", "true");
    yarn.show(YarnApplicationState.RUNNING, 1, "N/A", -1);

    assertEquals(ExitCode.SUCCEEDED, attempt().run());

    assertFalse(yarn.hasSubmission());
    assertEquals(List.of(), yarn.kills());
    String last = told().get(told().size() - 1);
    assertTrue(last, last.contains("is valid: 1 task"));
    assertTrue(last, last.endsWith("; a dry run submits nothing"));
    assertFalse(Files.exists(root.resolve("staging")));
  }

  @Test
  public void shouldTellWhatItWarnsOf() throws Exception {
    options.put("tony.azkaban.dry-run", "true");

    options.put("worker.instances", "2");

    attempt().run();

    assertTrue(
        told().toString(),
        told().stream()
            .anyMatch(
                line ->
                    line.startsWith("warning: ")
                        && line.contains("only keys that begin with tony. are options")));
  }

  @Test
  public void shouldSubmitNothingWhenItIsStoppedWhileItLooksForAttempts() throws Exception {
    yarn.holdSearches();
    JobRun attempt = attempt();
    FutureTask<ExitCode> end = start(attempt);
    yarn.awaitSearch();
    FutureTask<Boolean> cancel = new FutureTask<>(() -> attempt.cancel(SIGNAL));
    awaitWait(start(cancel));
    yarn.answerSearches();

    assertTrue("it has ended", cancel.get());
    assertEquals(ExitCode.TERMINATED, end.get());
    assertTrue(told().toString(), isTold("stopped before the submission by " + SIGNAL));
    assertFalse(yarn.hasSubmission());
    assertFalse(Files.exists(staged()));
  }

  /** Its search fails meanwhile: whoever stops it is told at once. */
  @Test
  public void shouldHaveEndedWhenItsSearchFails() throws Exception {
    yarn.holdSearches();
    JobRun attempt = attempt();
    FutureTask<ExitCode> end = new FutureTask<>(attempt::run);
    Thread runner = start(end);
    yarn.awaitSearch();
    FutureTask<Boolean> cancel = new FutureTask<>(() -> attempt.cancel(SIGNAL));
    awaitWait(start(cancel));
    runner.interrupt();

    assertTrue(cancel.get());
    Throwable failure = assertThrows(ExecutionException.class, end::get).getCause();
    assertEquals("the search was interrupted", failure.getMessage());
    assertTrue(told().toString(), isTold("stopped before the submission by " + SIGNAL));
  }

  @Test
  public void shouldNotPromiseAnEndWhereYarnDoesNotTellWhetherThereIsAnAttempt() throws Exception {
    yarn.holdSearches();
    JobRun attempt = attempt();
    FutureTask<ExitCode> end = start(attempt);
    yarn.awaitSearch();

    assertFalse(attempt.cancel(SIGNAL));
    assertTrue(
        told().toString(),
        isTold("whether an application of an earlier attempt has ended is not known within 10 s"));
    yarn.answerSearches();
    assertEquals(ExitCode.TERMINATED, end.get());
  }

  /** It waits for what is known of its client. */
  @Test
  public void shouldNameWhatGoesOnWhenItIsStoppedWhileItLooks() throws Exception {
    Map<String, String> other = new TreeMap<>(options);
    other.put("tony.azkaban.execution", "7");
    Staging staging =
        new Staging(
            FileSystem.get(new Configuration()),
            root.toUri() + "staging",
            EndedRuns.id(30).toString());
    staging.create();
    staging.writeConfig(TonyConfig.builder().layer("other", other).build());
    staging.recordClientAlive();
    String step =
        ApplicationTags.step(TonyConfig.builder().layer("test", options).build()).orElseThrow();
    yarn.showAlso(EndedRuns.id(30), YarnApplicationState.ACCEPTED, step);
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1); // whose looks begin anew
    JobRun attempt = attempt();
    FutureTask<ExitCode> end = start(attempt);
    yarn.awaitLooks(1);

    assertTrue(attempt.cancel(SIGNAL));

    assertThrows(ExecutionException.class, end::get); // interrupted
    assertTrue(told().toString(), isTold("stopped before the submission by " + SIGNAL));
    assertTrue(
        told().toString(),
        isTold(
            "application_1_0030 of execution 7 of this step was found alive, and goes on (to end"
                + " it: tony kill application_1_0030)"));
    assertFalse(yarn.hasSubmission());
    assertEquals(List.of(), yarn.kills());
  }

  @Test
  public void shouldWaitForTheAnswerToItsSubmissionBeforeItKills() throws Exception {
    yarn.holdSubmissions();
    JobRun attempt = attempt();
    FutureTask<List<String>> words =
        new FutureTask<>(
            () -> {
              assertEquals(ExitCode.TERMINATED, attempt.run());
              return told();
            });
    start(words);
    yarn.awaitSubmission();
    FutureTask<Boolean> cancel = new FutureTask<>(() -> attempt.cancel(SIGNAL));
    awaitWait(start(cancel));

    assertTrue(told().toString(), isTold("killing " + ID + ", asked by " + SIGNAL));
    assertEquals("it may not be there yet", List.of(), yarn.kills());
    yarn.answerSubmissions();

    assertTrue("it has ended", cancel.get());
    assertEquals(List.of("killed by " + SIGNAL), yarn.kills());
    List<String> whole = words.get();
    assertTrue(
        "its end waits for the last word of it: " + whole,
        whole.contains("KILLED: " + ID + " was stopped by " + SIGNAL));
    assertFalse(Files.exists(staged()));
  }

  /** A process that is about to end has given up waiting for YARN. */
  @Test
  public void shouldSubmitNothingWhenItIsAbandoned() throws Exception {
    JobRun attempt = attempt();
    assertTrue(attempt.tryAbandon());

    InterruptedException abandoned = assertThrows(InterruptedException.class, attempt::run);

    assertEquals("YARN did not answer in time", abandoned.getMessage());
    assertFalse(yarn.hasSubmission());
  }

  @Test
  public void shouldLeaveNoFilesOfWhatCannotBeStaged() throws Exception {
    Files.delete(jar);

    assertThrows(NoSuchFileException.class, () -> attempt().run());

    assertFalse(Files.exists(staged()));
    assertFalse(yarn.hasSubmission());
    assertFalse("there is nothing to kill", Files.exists(root.resolve("status")));
  }
}
