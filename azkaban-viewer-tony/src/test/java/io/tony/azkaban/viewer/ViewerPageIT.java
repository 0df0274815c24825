package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** What the page shows of jobs, while they run and afterwards. */
public final class ViewerPageIT extends BrowserTest {

  @Test
  public void shouldShowARealJobThatSucceeded() throws Exception {
    azkaban.add(ended(resource("quickstart-train.log"), "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals("nightly:train", browser.text("h1"));
    assertEquals("SUCCEEDED", browser.text("#state"));
    assertEquals("2 of 2 tasks succeeded", browser.text("#phase"));
    assertEquals(APPLICATION, browser.text("#application"));
    assertEquals("default", browser.text("#queue"));
    assertEquals("1 min 00 s", browser.text("#elapsed"));
    assertEquals("2 succeeded, 1 stopped", counts());
    assertEquals("100 %", browser.text("#progress-text"));
    assertEquals(
        List.of("ps:0 stopped", "worker:0 succeeded", "worker:1 succeeded"),
        rows(".slice(0, 2).map((cell) => cell.innerText).join(' ')"));
    assertEquals("http://localhost:37133/proxy/" + APPLICATION + "/", link("#tracking"));
    assertEquals(root + "/executor?execid=17&job=nightly%3Atrain&attempt=0", link("#log"));
    assertEquals(
        "http://localhost:33057/node/containerlogs/container_1795279724695_0001_01_000003/root",
        link("tbody tr:nth-child(2) a"));
    assertFalse(browser.isShown("#tensorboard"));
    assertFalse(browser.isShown("#failure"));
    assertFalse(browser.isShown("#incomplete"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldReadWhatAzkaban2DoesNotEscape() throws Exception {
    host.stop();
    start(new StandInExecutor(false));
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "1");
    log.event("TASK_ALLOCATED", "worker:0", "node", "größe & 漢 &amp; 🎉", "log", "");
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals(List.of("größe & 漢 &amp; 🎉"), rows("[2].innerText"));
  }

  @Test
  public void shouldFollowAJobThatRunsHoweverItsLogIsCut() throws Exception {
    JobLogFile log = submitted();
    azkaban.add(running(log));
    open();
    browser.await(shows("#application", APPLICATION));
    assertEquals("submitted, waits for its ApplicationMaster", browser.text("#phase"));
    assertEquals("not known yet", counts());

    log.event("AM_STARTED", null, "attempt", "1", "host", "node-1", "tasks", "2");
    log.event("GANG_REQUESTED", null, "resources", "2 × worker (512 MiB, 1 vcore)");
    byte[] rest =
        ("21-11-2026 16:00:00 UTC train INFO - "
                + log.eventText("TASK_ALLOCATED", "worker:0", "node", "nöde-漢", "log", "")
                + "\n")
            .getBytes(StandardCharsets.UTF_8);
    int inTheMiddleOfALetter =
        new String(rest, StandardCharsets.ISO_8859_1)
                .indexOf(
                    new String("漢".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
            + 1;
    log.append(Arrays.copyOf(rest, inTheMiddleOfALetter));
    browser.await(shows("#task-counts", "2 requested"));

    log.append(Arrays.copyOfRange(rest, inTheMiddleOfALetter, rest.length));
    browser.await(shows("#task-counts", "1 requested, 1 allocated"));
    assertTrue(rows("[2].innerText").toString(), rows("[2].innerText").contains("nöde-漢"));

    log.event("TASK_STARTED", "worker:0", "pid", "1");
    Instant now = Instant.now();
    log.at(now.minusSeconds(1000))
        .event("TASK_PROGRESS", "worker:0", "text", "2026-11-21 10:00 step 100/1000 loss 0.5");
    log.at(now).event("TASK_PROGRESS", "worker:0", "text", "step 200/1000");
    browser.await(
        "document.getElementById('progress-text').textContent.startsWith('20 %, about 2 h 1')");
    assertEquals("RUNNING", browser.text("#state"));
    assertEquals("true", browser.evaluate("document.body.ariaBusy").asText());

    log.event("TASK_SUCCEEDED", "worker:0", "exitCode", "0");
    log.event("JOB_FINISHED", null, "status", "SUCCEEDED", "message", "all is well");
    azkaban.become("SUCCEEDED", START + 5_000);
    browser.await(END);
    assertEquals("all is well", browser.text("#phase"));
    assertEquals("5 s", browser.text("#elapsed"));
  }

  @Test
  public void shouldSayWhyARealJobFailed() throws Exception {
    azkaban.add(ended(resource("failing-train.log"), "FAILED"));

    open();
    browser.await(END);

    assertTrue(browser.isShown("#failure"));
    assertTrue(
        browser.text("#failure-message"),
        browser.text("#failure-message").startsWith("worker:1 exited with code 1"));
    assertEquals("The last lines of the stderr of worker:1", browser.text("#stderr-title"));
    String stderr = browser.text("#stderr-text");
    assertTrue(stderr, stderr.startsWith("Traceback (most recent call last):\n"));
    assertTrue(stderr, stderr.endsWith("KeyError: 'petal_width'"));
    assertTrue(link("#failure-log"), link("#failure-log").contains("/node/containerlogs/"));
    assertFalse("Azkaban reaches no node", browser.isShown("#failure-open"));
    assertTrue(link("#task-rows a"), link("#task-rows a").contains("/node/containerlogs/"));
    assertEquals(
        "worker:1 failed", rows(".slice(0, 2).map((cell) => cell.innerText).join(' ')").get(0));
  }

  /** One line for all tasks, and another when the gang hangs again. */
  @Test
  public void shouldSayWhereTheTasksStandOfAGangThatHangs() throws Exception {
    String reduce = "all_reduce (distributed_c10d.py:2501)";
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "4");
    log.event("TASK_STANDS", "worker:2", "where", "<b>read</b> (loader.py:14)");
    log.event("GANG_RESTARTED", "worker:2", "kind", "PROGRAM", "message", "no sign of life");
    for (int other : new int[] {0, 1, 3}) {
      log.event("TASK_STANDS", "worker:" + other, "where", reduce);
    }
    log.event("GANG_RUNNING", null);
    log.event("TASK_STANDS", "worker:1", "where", reduce);
    azkaban.add(running(log));

    open();
    browser.await(shows("#mishaps li:last-child p", "worker:1 hung in " + reduce));

    assertEquals(
        "3 of 4 tasks hang in "
            + reduce
            + "; worker:2 hangs in <b>read</b> (loader.py:14): the likely cause",
        browser.text("#mishaps li:first-child p"));
    assertTrue(
        browser.text("#mishaps li:first-child"),
        browser.text("#mishaps li:first-child").contains("where the tasks stand"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldSayWhyAJobFailedOfWhichNoTaskTold() throws Exception {
    azkaban.add(ended(masterLost(submitted()), "FAILED"));

    open();
    browser.await(END);

    assertTrue(browser.isShown("#failure"));
    assertEquals("the ApplicationMaster was lost (AM_LOST)", browser.text("#failure-message"));
    assertFalse(browser.isShown("#stderr"));
  }

  @Test
  public void shouldNotNameAFailureThatWasMadeGoodAsTheReason() throws Exception {
    JobLogFile log =
        failed(
            submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2"),
            "worker:1");
    log.event("GANG_RESTARTED", null, "kind", "PROGRAM", "message", "worker:1 failed", "left", "0");
    failed(log, "worker:0").event("TASK_RESTARTED", "worker:0", "kind", "PROGRAM", "where", "kept");
    azkaban.add(ended(masterLost(log), "FAILED"));

    open();
    browser.await(END);

    assertEquals("the ApplicationMaster was lost (AM_LOST)", browser.text("#failure-message"));
    assertFalse(browser.isShown("#stderr"));
    assertFalse(browser.isShown("#failure-log"));
  }

  private static JobLogFile failed(JobLogFile log, String task) throws Exception {
    return log.event(
        "TASK_FAILED",
        task,
        "kind",
        "PROGRAM",
        "message",
        task + " failed",
        "stderr",
        "KeyError",
        "log",
        "https://node/1");
  }

  @Test
  public void shouldNameTheFirstCauseAndCallTheOthersWhatTheyAre() throws Exception {
    JobLogFile log = failed(submitted(), "worker:1");
    log.event(
        "JOB_STOPPING", null, "status", "FAILED", "kind", "PROGRAM", "message", "worker:1 failed");
    for (String more : List.of("0", "2")) {
      log.event(
          "FIRST_CAUSE",
          "worker:0",
          "kind",
          "PROGRAM",
          "message",
          "worker:0 was ended by signal 11",
          "stderr",
          "<b>Segmentation fault",
          "log",
          "https://node/0",
          "gang",
          "0",
          "other",
          "worker:1",
          "more",
          more,
          "how",
          "connection closed by peer",
          "besides",
          "0");
    }
    log.event(
        "JOB_FINISHED",
        null,
        "status",
        "FAILED",
        "kind",
        "PROGRAM",
        "task",
        "worker:0",
        "message",
        "worker:0 was ended by signal 11");
    azkaban.add(ended(log, "FAILED"));

    open();
    browser.await(END);

    assertEquals("worker:0 was ended by signal 11 (PROGRAM)", browser.text("#failure-message"));
    assertEquals(
        "worker:1 and 2 more failed because of worker:0 (connection closed by peer).",
        browser.text("#failure-others"));
    assertEquals("<b>Segmentation fault", browser.text("#stderr-text"));
    String mishaps = browser.text("#mishaps");
    assertTrue(mishaps, mishaps.contains("worker:0 was the first cause"));
    assertTrue(
        mishaps,
        mishaps.contains("worker:1 failed because of worker:0 (connection closed by peer)"));
    assertEquals(mishaps, mishaps.indexOf("first cause"), mishaps.lastIndexOf("first cause"));
  }

  /** As the client tells it, for the ApplicationMaster could not. */
  private static JobLogFile masterLost(JobLogFile log) throws Exception {
    return log.event(
        "JOB_FINISHED",
        null,
        "status",
        "FAILED",
        "kind",
        "AM_LOST",
        "message",
        "the ApplicationMaster was lost");
  }

  @Test
  public void shouldShowTheAttemptThatIsChosenAndFollowTheLatest() throws Exception {
    azkaban.add(ended(resource("failing-train.log"), "FAILED"));
    JobLogFile second = submitted();
    azkaban.add(running(second));

    open();
    browser.await(shows("#application", APPLICATION));
    assertEquals("Attempt 2 of 2: RUNNING", choice());
    assertFalse(browser.isShown("#failure"));

    browser.type("#attempt", "Attempt 1 of 2: FAILED");
    browser.await(END);
    assertEquals("FAILED", browser.text("#state"));
    assertTrue(browser.isShown("#failure"));
    assertTrue(link("#log"), link("#log").endsWith("&attempt=0"));

    open();
    browser.await(shows("#application", APPLICATION));
    azkaban.retry("FAILED", running(new JobLogFile(folder.newFile().toPath())));
    browser.await(shows("#attempt option:checked", "Attempt 3 of 3: RUNNING"));
    assertEquals("not known yet", browser.text("#application"));
  }

  @Test
  public void shouldWaitForTheNextAttemptOfAFlowThatGoesOn() throws Exception {
    azkaban.retries = true;
    azkaban.add(ended(resource("failing-train.log"), "FAILED"));
    open();
    browser.await("!document.getElementById('failure').hidden");

    azkaban.add(running(submitted()));

    browser.await(shows("#attempt option:checked", "Attempt 2 of 2: RUNNING"));
    browser.await(shows("#application", APPLICATION));
    assertFalse(browser.isShown("#failure"));
  }

  @Test
  public void shouldKeepWhatIsDoneAndNoTensorBoardWhenTheGangStartsAgain() throws Exception {
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2");
    log.event("TASK_STARTED", "prepare:0", "pid", "1");
    log.event("TASK_SUCCEEDED", "prepare:0", "exitCode", "0");
    log.event("TASK_STARTED", "worker:0", "pid", "2");
    log.event("TENSORBOARD", "worker:0", "url", "http://board:6006/");
    azkaban.add(running(log));
    open();
    browser.await("!document.getElementById('tensorboard').hidden");

    log.event("GANG_RESTARTED", "worker:0", "kind", "LOST", "left", "2", "done", "prepare");

    browser.await(shows("#task-counts", "1 requested, 1 succeeded"));
    assertFalse(browser.isShown("#tensorboard"));
  }

  @Test
  public void shouldShowTheTasksThatAnElasticGangHasNow() throws Exception {
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "4");
    log.event("GANG_REQUESTED", null, "resources", "4 × worker (512 MiB, 1 vcore)");
    log.event("TASK_ALLOCATED", "worker:0", "node", "node-0", "log", "http://n/0");
    log.event("TASK_ALLOCATED", "worker:3", "node", "node-3", "log", "http://n/3");
    azkaban.add(running(log));
    open();
    browser.await(shows("#task-counts", "2 requested, 2 allocated"));

    resized(log, 4, 2, "3:1", "YARN did not give more");

    browser.await(shows("#task-counts", "2 allocated"));
    assertEquals(
        List.of("worker:0 node-0", "worker:1 node-3"),
        rows(
            ".filter((cell, column) => column % 2 === 0).slice(0, 2).map((cell) => cell.innerText).join(' ')"));
    assertEquals("http://n/3", link("tbody tr:nth-child(2) a"));
    assertMishap("the gang goes on with 2 of 4 worker", "YARN did not give more");

    log.event("TASK_STARTED", "worker:0", "pid", "1");
    log.event("TASK_STARTED", "worker:1", "pid", "2");
    log.event("GANG_GROWS", null, "role", "worker", "instances", "4");
    browser.await(shows("#task-counts", "2 running"));
    assertMishap("the queue has room for 4 worker", "once a checkpoint is kept");

    resized(log, 2, 4, "", "step 7 is kept");
    log.event("GANG_RESTARTED", "worker:0", "kind", "RESIZED", "message", "step 7 is kept");
    log.event("TASK_ALLOCATED", "worker:3", "node", "node-4", "log", "http://n/4");

    browser.await(shows("#task-counts", "3 requested, 1 allocated"));
    assertMishap("the gang is started again with 4 worker instead of 2", "step 7 is kept");
    assertEquals("one that is new has started once", List.of("2", "2", "1", "1"), starts());
    assertEquals(List.of(), browser.complaints());
  }

  private static List<String> starts() throws Exception {
    return rows("[3].innerText");
  }

  private static void resized(JobLogFile log, int from, int instances, String moved, String why)
      throws Exception {
    log.event(
        "GANG_RESIZED",
        null,
        "role",
        "worker",
        "from",
        Integer.toString(from),
        "instances",
        Integer.toString(instances),
        "moved",
        moved,
        "message",
        why);
  }

  private static void assertMishap(String what, String reason) throws Exception {
    String last = browser.text("#mishaps li:last-child");
    assertTrue(last, last.contains(what) && last.contains(reason));
  }

  @Test
  public void shouldShowRestartsMetricsTensorBoardAndAdvice() throws Exception {
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2");
    for (int i = 0; i < 2; i++) {
      log.event("TASK_ALLOCATED", "worker:" + i, "node", "node-" + i, "log", "https://node/" + i);
      log.event("TASK_STARTED", "worker:" + i, "pid", "1");
    }
    log.event("TENSORBOARD", "worker:0", "url", "http://board:6006/");
    for (int i = 1; i <= 5; i++) {
      log.event(
          "METRICS", null, "worker:0", 800 + i + " 0.97", "worker:1", "90" + i + " 1.5 43 2048");
    }
    log.event("METRICS", null, "ps min", "10 0.1", "ps median", "20 0.2", "ps max", "30 0.3");
    log.event(
        "TASK_FAILED",
        "worker:1",
        "kind",
        "LOST",
        "message",
        "node-1 is lost",
        "stderr",
        "Traceback\n\nOSError: No space left on device\n \n",
        "log",
        "");
    log.event(
        "TASK_RESTARTED",
        "worker:1",
        "kind",
        "LOST",
        "message",
        "node-1 is lost",
        "left",
        "2",
        "attempt",
        "1",
        "where",
        "new");
    log.event("A_TYPE_OF_A_LATER_VERSION", null, "text", "x");
    log.event("ADVICE", null, "text", "worker used 10 % of its memory");
    azkaban.add(running(log));

    open();
    browser.await(shows("#advice-list", "worker used 10 % of its memory"));

    assertEquals("http://board:6006/", link("#tensorboard"));
    assertEquals("1 requested, 1 running", counts());
    assertEquals(
        List.of("worker:1 2", "worker:0 1"),
        rows(".filter((cell, i) => i === 0 || i === 3).map((cell) => cell.innerText).join(' ')"));
    assertTrue(
        browser.text("#mishaps"),
        browser
            .text("#mishaps")
            .contains(
                "worker:1 started again in a new container (LOST, 2 more after this)\n"
                    + "node-1 is lost: OSError: No space left on device"));
    assertFalse("the failure was made good", browser.isShown("#failure"));
    assertEquals(
        List.of(
            "worker: Memory, MiB",
            "worker: CPU, cores",
            "worker: GPU, %",
            "worker: GPU memory, MiB",
            "ps: Memory, MiB",
            "ps: CPU, cores"),
        texts("#charts figcaption"));
    assertEquals(
        "Memory of worker over time, in MiB; at last: worker:0 805, worker:1 905",
        browser
            .evaluate("document.querySelector('#charts svg').getAttribute('aria-label')")
            .asText());
    assertEquals(
        2,
        browser
            .evaluate("document.querySelector('#charts svg').querySelectorAll('polyline').length")
            .asInt());
    assertEquals(
        List.of("min 10 MiB", "median 20 MiB", "max 30 MiB"),
        texts(".charts + .charts figure:first-child li"));
  }

  /** It goes on from a checkpoint, at a pace of its own. */
  @Test
  public void shouldCountTheTimeThatIsLeftFromTheNewStart() throws Exception {
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2");
    Instant now = Instant.now();
    log.at(now.minusSeconds(4_000)).event("TASK_PROGRESS", "worker:0", "text", "step 1/8000");
    log.at(now.minusSeconds(300)).event("TASK_PROGRESS", "worker:0", "text", "step 4800/8000");
    log.at(now.minusSeconds(290)).event("GANG_RESTARTED", "worker:1", "kind", "LOST", "left", "2");
    log.at(now.minusSeconds(100)).event("TASK_PROGRESS", "worker:0", "text", "step 4800/8000");
    log.at(now).event("TASK_PROGRESS", "worker:0", "text", "step 6400/8000");
    azkaban.add(running(log));

    open();

    browser.await(
        "document.getElementById('progress-text').textContent.startsWith('80 %, about 1 min ')");
  }

  @Test
  public void shouldShowTheLastThatAProgramSaid() throws Exception {
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "1");
    String before = log.json("TASK_PROGRESS", "worker:0", "text", "step 6000/8000");
    String last = log.json("TASK_PROGRESS", "worker:0", "text", "step 8000/8000");
    String end = log.json("TASK_SUCCEEDED", "worker:0", "exitCode", "0");
    log.line("tony-events [" + before + "," + last + "," + end + "]");
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals("100 %", browser.text("#progress-text"));
    assertEquals(List.of("100 % step 8000/8000"), rows("[4].innerText"));
  }

  /** Jobs of earlier releases have told what a terminal obeys. */
  @Test
  public void shouldShowWhatATerminalWouldHaveShown() throws Exception {
    String stderr =
        "\u001b[32mEpoch 1\u001b[0m: 0 %|\rEpoch 1: 40 %|\rEpoch 1: 100 %|\r\n"
            + "\u001b[31mTraceback\u001b[0m\u202e:\r\n\u001b[1mKeyError\u001b[0m: 7";
    String shown = "Epoch 1: 100 %|\nTraceback\ufffd:\nKeyError: 7";
    JobLogFile log = submitted();
    log.event("TASK_FAILED", "worker:0", "message", "exit code 1", "stderr", stderr, "log", "");
    log.event("TASK_RESTARTED", "worker:0", "kind", "PROGRAM", "where", "kept", "message", "again");
    log.event("TASK_PROGRESS", "worker:0", "text", "\u001b[1mstep\u001b[0m 1/4");
    log.event("TASK_HELD", "worker:1", "exitCode", "1", "stderr", "\u001b[31mheld\u001b[0m");
    log.event("FIRST_CAUSE", "worker:1", "message", "first", "stderr", stderr, "gang", "0");
    log.event("TASK_FAILED", "worker:2", "message", "exit code 1", "stderr", stderr, "log", "");
    log.event("JOB_FINISHED", null, "status", "FAILED", "message", "m", "task", "worker:2");
    azkaban.add(ended(log, "FAILED"));

    open();
    browser.await(END);

    assertEquals(shown, browser.text("#stderr-text"));
    assertTrue(rows("[4].innerText").contains("25 % step 1/4"));
    assertEquals(
        List.of("again: KeyError: 7", "held", "first: KeyError: 7"), texts("#mishaps li p"));
  }

  @Test
  public void shouldTellProgressAndTicksAsPeopleDo() throws Exception {
    azkaban.add(ended(submitted(), "SUCCEEDED"));
    open();
    browser.await(END);

    assertEquals(
        "[0.12,0.5,null,null,0.25,1,null,null]",
        browser
            .evaluatePromise(
                "import('./job.js').then(({ fractionOf }) => JSON.stringify(['step 1200/10000', '50 %',"
                    + " '2026/11/21 step', 'data/train/1/2', '12/31 23:59:59 1 / 4', '9/8', 'none',"
                    + " '9'.repeat(400) + '/' + '9'.repeat(400)].map(fractionOf)))")
            .asText());
    assertEquals(
        "[[0,1],[0,0.25,0.5,0.75,1],[0,250,500,750,1000],[0,1000,2000,3000,4000]]",
        browser
            .evaluatePromise(
                "import('./chart.js').then(({ ticks }) => JSON.stringify([0, 1, 812, 3001].map(ticks)))")
            .asText());
    assertEquals(
        "[\"0 s\",\"59 s\",\"3 min 05 s\",\"2 h 07 min\",\"3 d 04 h\"]",
        browser
            .evaluatePromise(
                "import('./text.js').then(({ duration }) => JSON.stringify("
                    + "[-5, 59999, 185000, 7620000, 273600000].map(duration)))")
            .asText());
  }
}
