package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.azkaban.viewer.StandInExecutor.Attempt;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/**
 * What the page says of a step of which no event tells why it ended, and of one that was killed.
 */
public final class ViewerReasonsIT extends BrowserTest {
  private static final String REFUSED = "The job was not submitted; nothing was left behind:";

  private static final String REFUSAL =
      """
      TonY's job type is not set up on this Azkaban executor:
        - <b>Java 17</b> is not found
        - Hadoop is not found & "hadoop.home" is not set.""";

  private JobLogFile begun() throws Exception {
    return new JobLogFile(folder.newFile().toPath())
        .line("Starting tony job train at " + START)
        .line("all props for the job: {db.password: hunter2}")
        .line("worker:0: ERROR a program's words");
  }

  private void assertReasons(String text) throws Exception {
    open();
    browser.await(END);

    assertTrue(browser.isShown("#failure"));
    assertEquals("The job’s log says why:", browser.text("#failure-message"));
    assertEquals(text, browser.text("#reasons"));
    assertFalse(browser.isShown("#nothing"));
    assertFalse(browser.isShown("#stderr"));
    String unknown = text.startsWith(REFUSED) ? "none" : "not known";
    assertEquals(unknown, browser.text("#application"));
    assertEquals(0, browser.evaluate("document.querySelectorAll('img, pre *').length").asInt());
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldShowWhyAJobWasNotSubmitted() throws Exception {
    for (boolean escapes : List.of(true, false)) {
      host.stop();
      start(new StandInExecutor(escapes));
      JobLogFile log = begun().line(REFUSED);
      log.line("  - tony.worker.memmory (job properties) is not an option; did you mean größe?");
      log.line("  - <img src=x onerror=window.hit=1> & \u202e'&lt;b&gt;':");
      log.line("    of \"two\" lines");
      log.line(
          "ERROR",
          "train: the job is not valid (INVALID, exit code 2, no application). The lines above say why.");
      log.line("Azkaban job executor finished with: null");
      log.line("Wrapping up tony job train, finished at 1 with status FAILED.");
      azkaban.add(ended(log, "FAILED"));

      assertReasons(
          REFUSED
              + "\n  - tony.worker.memmory (job properties) is not an option; did you mean größe?"
              + "\n  - <img src=x onerror=window.hit=1> & \ufffd'&lt;b&gt;':"
              + "\n    of \"two\" lines");
    }
  }

  /** Azkaban 2.5 logs it with the cause behind, 3 and 4.0 also as an exception, later ones not. */
  @Test
  public void shouldShowOnceWhatTheJobTypeRefuses() throws Exception {
    JobLogFile of25 = begun().line("ERROR", "Job run failed!").line("ERROR", REFUSAL + "null");
    JobLogFile of358 =
        begun()
            .line("ERROR", REFUSAL)
            .line("ERROR", "Job run failed!\nio.tony.azkaban.JobFailedException: " + REFUSAL)
            .append("\tat azkaban.execapp.JobRunner.runJob(JobRunner.java:784)\n\t... 3 more\n")
            .line("ERROR", REFUSAL + " cause: null");
    String inShort = "train: FAILED, the lines above say why.";
    JobLogFile of40 =
        begun()
            .line("ERROR", REFUSAL)
            .line("ERROR", "Job run failed!\nio.tony.azkaban.JobFailedException: " + inShort)
            .line("ERROR", inShort + " cause: null");
    JobLogFile ofToday =
        begun().line("ERROR", REFUSAL).line("Azkaban job executor finished with: null");
    for (JobLogFile log : List.of(of25, of358, of40, ofToday)) {
      azkaban.add(ended(log, "FAILED"));
      assertReasons(REFUSAL);
    }
  }

  @Test
  public void shouldFindReasonsInAnotherLayout() throws Exception {
    String words = "2026-11-22T16:00:00,123 [pool-3] INFO  train: ";
    JobLogFile log = new JobLogFile(folder.newFile().toPath());
    log.append(words + "Starting job train\n");
    log.append(words + REFUSED + "\n");
    log.append(words + "  - one <b>problem</b>\n" + words + "    more of it\n");
    log.append(words + "Finishing job train\n");
    log.append("2026-11-22T16:00:01,123 [pool-3] ERROR train: the last word\n");
    azkaban.add(ended(log, "FAILED"));

    assertReasons(
        REFUSED
            + "\n  - one <b>problem</b>\n    more of it\n"
            + "2026-11-22T16:00:01,123 [pool-3] ERROR train: the last word");
  }

  @Test
  public void shouldNameTheTroubleOfTheJobTypeWithoutItsTrace() throws Exception {
    JobLogFile log = begun().line("ERROR", "train: TonY's job type itself has failed:");
    log.append(
        "java.lang.NullPointerException\n\tat io.tony.azkaban.TonyJob.run(TonyJob.java:7)\n");
    log.append("Caused by: java.io.IOException: no space left\n\t... 7 more\n").line("the end");
    azkaban.add(ended(log, "FAILED"));

    assertReasons(
        "train: TonY's job type itself has failed:\njava.lang.NullPointerException\n"
            + "Caused by: java.io.IOException: no space left");
  }

  @Test
  public void shouldSayThatAStepWasKilledBeforeItsJobWasSubmitted() throws Exception {
    JobLogFile log = begun().line("ERROR", "Kill has been called.");
    log.line("stopped before the submission by a kill in Azkaban (by a person or an SLA)");
    azkaban.add(ended(log, "KILLED"));

    assertReasons("stopped before the submission by a kill in Azkaban (by a person or an SLA)");
  }

  /** As when the client ended before YARN could tell it the end. */
  @Test
  public void shouldShowTheLastWordsOfAJobWhoseEndNoEventTells() throws Exception {
    JobLogFile log = submitted().event("TASK_STARTED", "worker:0", "pid", "1");
    log.line("FAILED (LOST): java.io.IOException: no space left");
    log.line("ERROR", "Job run failed!");
    azkaban.add(ended(log, "FAILED"));

    open();
    browser.await(END);

    assertEquals("FAILED (LOST): java.io.IOException: no space left", browser.text("#reasons"));
    assertEquals(APPLICATION, browser.text("#application"));
  }

  @Test
  public void shouldShowNoReasonsOfAJobThatToldItsEnd() throws Exception {
    JobLogFile log = submitted().line("ERROR", "a word on the way");
    log.event("JOB_FINISHED", null, "status", "FAILED", "message", "its own", "kind", "PROGRAM");
    azkaban.add(ended(log, "FAILED"));
    open();
    browser.await(END);
    assertEquals("its own (PROGRAM)", browser.text("#failure-message"));
    assertFalse(browser.isShown("#reasons"));

    azkaban.add(ended(begun().line("ERROR", "a word on the way"), "SUCCEEDED"));
    open();
    browser.await(END);
    assertFalse(browser.isShown("#failure"));
    assertEquals("The log of this attempt has nothing of a TonY job.", browser.text("#nothing"));
  }

  /**
   * Azkaban gives such a step one time for its begin and its end, or none, and has no log of it.
   */
  @Test
  public void shouldSayThatAStepDidNotStart() throws Exception {
    Map<String, String> words =
        Map.of(
            "SKIPPED",
            "This step did not start: Azkaban skipped it, because it is disabled in this"
                + " execution.",
            "CANCELLED",
            "This step did not start: Azkaban cancelled it. A step before it failed, its condition"
                + " was not met, or the flow was killed.",
            "KILLED",
            "This step did not start: it was killed in Azkaban while it still waited.",
            "DISABLED",
            "This step does not start: it is disabled in this execution.",
            "READY",
            "This step did not start: the flow ended before (KILLED).");
    for (String status : words.keySet()) {
      boolean waits = List.of("READY", "DISABLED").contains(status);
      azkaban.flowStatus = status.equals("READY") ? "KILLED" : null;
      azkaban.add(
          new Attempt(
              folder.getRoot().toPath().resolve("none"),
              status,
              waits ? -1 : START,
              waits ? -1 : START));
      open();
      browser.await(END);

      assertEquals(words.get(status), browser.text("#nothing"));
      assertEquals(status, browser.text("#state"));
      assertEquals("not started", browser.text("#elapsed"));
      assertEquals("none", browser.text("#application"));
      assertFalse(status, browser.isShown("#failure"));
      assertFalse(status, browser.isShown("#trouble"));
      assertFalse(status, browser.isShown("#origin"));
      assertEquals(List.of(), browser.complaints());
    }
  }

  @Test
  public void shouldWaitForAStepThatTheFlowHasNotReached() throws Exception {
    azkaban.flowStatus = "RUNNING";
    azkaban.add(new Attempt(folder.getRoot().toPath().resolve("none"), "READY", -1, -1));
    open();
    browser.await(shows("#state", "READY"));
    assertFalse(browser.isShown("#nothing"));

    azkaban.retry("FAILED", running(submitted()));
    browser.await(shows("#application", APPLICATION));
  }

  @Test
  public void shouldShowAKillInTheWordsOfItsEvent() throws Exception {
    String who = "a kill in Azkaban (by a person or an SLA)";
    String words = "stopped by " + who;
    JobLogFile log = submitted().event("STOP_REQUESTED", null, "who", who);
    log.event("JOB_FINISHED", null, "status", "KILLED", "kind", "KILLED", "message", words);
    log.line("ERROR", "Kill has been called.");
    azkaban.add(ended(log, "KILLED"));

    open();
    browser.await(END);

    assertEquals(words, browser.text("#failure-message"));
    assertFalse(browser.text("body").contains("signal"));
    assertFalse(browser.isShown("#reasons"));
  }
}
