package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.Chromium;
import java.util.List;
import javax.servlet.http.HttpServletResponse;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;
import org.mortbay.jetty.Server;
import org.mortbay.jetty.bio.SocketConnector;
import org.mortbay.jetty.servlet.Context;
import org.mortbay.jetty.servlet.ServletHolder;

/** The page beside the events that are served to it, whatever becomes of who serves them. */
public final class ServedPageIT {
  private static final String END = "document.body.ariaBusy === 'false'";
  private static final String FOLLOWS =
      "document.getElementById('written-state').textContent.includes('Follows.')";
  private static final int PIECE = StandInPage.PIECE;

  @ClassRule public static final Chromium browser = new Chromium();

  private final StandInPage master = new StandInPage();
  private final Server server = new Server();
  private final SocketConnector connector = new SocketConnector();

  @Before
  public void serve() throws Exception {
    connector.setHost("localhost");
    server.addConnector(connector);
    new Context(server, "/proxy/application_1_1").addServlet(new ServletHolder(master), "/*");
    server.start();
    browser.complaints();
  }

  @After
  public void stop() throws Exception {
    master.hold(false);
    browser.open("about:blank");
    server.stop();
  }

  private void open() throws Exception {
    browser.open("http://localhost:" + connector.getLocalPort() + "/proxy/application_1_1/");
  }

  private static String shows(String selector, String text) {
    return BrowserTest.shows(selector, text);
  }

  private void began() {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    master.add("GANG_REQUESTED", "\"resources\":\"1 × worker (512 MiB, 1 vcore)\"");
    master.add("TASK_ALLOCATED", "\"node\":\"<b>n</b>\",\"log\":\"javascript:alert(1)\"");
    master.add("TASK_STARTED", "\"pid\":\"1\"");
  }

  @Test
  public void shouldFollowAJobToTheEndThatAnEventTells() throws Exception {
    open();
    browser.await(shows("#application", "application_1_1"));
    began();
    browser.await(shows("#task-counts", "1 running"));
    assertEquals("nightly", browser.text("h1"));
    assertEquals("<b>n</b>", browser.text("tbody tr td:nth-child(3)"));
    assertEquals("RUNNING", browser.text("#state"));
    assertFalse("an attempt is Azkaban's", browser.isShown("#attempt"));

    master.add("TASK_SUCCEEDED", "\"exitCode\":\"0\"");
    master.add("JOB_FINISHED", "\"status\":\"SUCCEEDED\",\"message\":\"all is well\"");
    browser.await(END);

    assertEquals("SUCCEEDED", browser.text("#state"));
    assertEquals("all is well", browser.text("#phase"));
    assertEquals("5 s", browser.text("#elapsed"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldGoOnWithTheNextApplicationMaster() throws Exception {
    began();
    master.add("TASK_PROGRESS", "\"text\":\"step 3/4\"");
    open();
    browser.await(shows("#progress-text", "75 %"));

    master.gone(true);
    browser.await("!document.getElementById('trouble').hidden");
    assertTrue(
        browser.text("#trouble"),
        browser.text("#trouble").startsWith("The ApplicationMaster does not answer"));
    assertEquals("what is known stays", "75 %", browser.text("#progress-text"));

    master.lose(1);
    master.add("AM_STARTED", "\"attempt\":\"2\",\"host\":\"m\",\"tasks\":\"1\",\"running\":\"1\"");
    master.gone(false);
    browser.await(
        "document.getElementById('trouble').hidden"
            + " && document.getElementById('mishaps').textContent.includes('attempt 2 on m')");
    assertEquals("1 running", browser.text("#task-counts"));
    master.add("TASK_PROGRESS", "\"text\":\"step 4/4\"");
    browser.await(shows("tbody tr td:nth-child(5)", "100 % step 4/4"));
  }

  @Test
  public void shouldBeginAnewWhereTheNextOneKnowsLess() throws Exception {
    began();
    master.add("TASK_PROGRESS", "\"text\":\"step 3/4\"");
    master.add("TASK_SUCCEEDED", "\"exitCode\":\"0\"");
    open();
    browser.await(shows("#task-counts", "1 succeeded"));

    master.lose(2);
    browser.await(shows("#task-counts", "1 running"));
    assertFalse(browser.isShown("#progress"));
  }

  @Test
  public void shouldSayToWhomAJobIsNotShown() throws Exception {
    master.refuse(HttpServletResponse.SC_FORBIDDEN, "mallory may not see <this> job");
    open();
    browser.await(END);

    assertEquals("mallory may not see <this> job", browser.text("#trouble"));
  }

  /** As the history does, which may delete a log while somebody looks at it. */
  @Test
  public void shouldSayThatTheLogOfAJobIsGone() throws Exception {
    began();
    open();
    browser.await(shows("#task-counts", "1 running"));
    master.refuse(HttpServletResponse.SC_NOT_FOUND, "the log of this <job> is gone");
    browser.await(END);

    assertEquals("the log of this <job> is gone", browser.text("#trouble"));
    assertEquals("what is known stays", "1 running", browser.text("#task-counts"));
  }

  @Test
  public void shouldSayWhereToOpenIt() throws Exception {
    master.refuse(HttpServletResponse.SC_NOT_FOUND, "<html>a server's own page</html>");
    open();
    browser.await(END);

    String trouble = browser.text("#trouble");
    assertTrue(trouble, trouble.startsWith("This page is about one job."));
  }

  // ---- What tasks write ----

  private void runsIn(int container) {
    runsIn("worker:0", container);
  }

  private void runsIn(String task, int container) {
    master.add(
        "TASK_ALLOCATED",
        task,
        "\"container\":\"c%d\",\"node\":\"n%d\",\"log\":\"http://n%d:8042/x\""
            .formatted(container, container, container));
    master.add("TASK_STARTED", task, "\"pid\":\"1\"");
  }

  private static String writtenEnds(String text) {
    return "document.getElementById('written-text').textContent.endsWith(`" + text + "`)";
  }

  private static String active(String property) throws Exception {
    return browser.evaluate("document.activeElement." + property).asText();
  }

  @Test
  public void shouldShowWhatATaskWritesWhileItDoes() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.write("c1", "stdout", "<b>bold</b>\n\u001b[31mred\u001b[0m\n10 %\r20 %");
    open();
    browser.await(shows("#task-counts", "1 running"));
    assertFalse("nobody has asked for it", browser.isShown("#written"));
    assertEquals(0, master.questions());

    browser.click("#task-rows button");
    browser.await(writtenEnds("20 %"));
    assertEquals(
        "<b>bold</b>\nred\n20 %",
        browser.evaluate("document.getElementById('written-text').textContent").asText());
    assertEquals("Log of worker:0", browser.text("#written-title"));
    assertEquals("written-title", active("id"));
    assertEquals("stdout", browser.text("#written-files [aria-pressed='true']"));
    browser.await(FOLLOWS);
    master.write("c1", "stdout", "\r30 %\nnext\n");
    browser.await(writtenEnds("red\n30 %\nnext\n"));
    master.write("c1", "stdout", "\u001b]0;a title\u0007\u009b2J\u202e\u061c\u200e\u200fend");
    browser.await(writtenEnds("next\n\ufffd2J" + "\ufffd".repeat(4) + "end"));

    browser.click("#written-files [data-file='stderr']");
    browser.await(shows("#written-why", "there is <none> yet"));
    assertEquals("On its node", browser.text("#written-node a"));
    master.write("c1", "stderr", "warning\n");
    browser.await(writtenEnds("warning\n"));
    assertEquals("", browser.text("#written-why"));
    assertTrue(browser.evaluate("document.querySelector('#written-node a') === null").asBoolean());

    master.write("c1", "stderr", "the end");
    master.add("TASK_FAILED", "\"message\":\"it broke\",\"log\":\"http://n1:8042/x\"");
    browser.await(writtenEnds("warning\nthe end") + " && !" + FOLLOWS);

    master.add("TASK_RESTARTED", "\"where\":\"kept\",\"kind\":\"PROGRAM\"");
    master.write("c1", "stderr", ", and again");
    browser.await(writtenEnds("warning\nthe end, and again") + " && " + FOLLOWS);
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldAskForNothingThatNobodyLooksAt() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.write("c1", "stdout", "one");
    open();
    browser.await(shows("#task-counts", "1 running"));
    browser.click("#task-rows button");
    browser.await(writtenEnds("one"));
    browser.evaluate(
        "document.activeElement.dispatchEvent("
            + "new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))");
    assertFalse(browser.isShown("#written"));
    assertEquals("log of worker:0", active("getAttribute('aria-label')"));

    int asked = master.questions();
    for (int step = 1; step <= 3; step++) { // the page goes on to ask for events meanwhile
      master.add("TASK_PROGRESS", "\"text\":\"step " + step + "/4\"");
      browser.await(shows("#progress-text", 25 * step + " %"));
    }
    assertTrue("one may have been under way", master.questions() <= asked + 1);

    browser.click("#task-rows button");
    browser.await(writtenEnds("one"));
    browser.click("#written-close");
    assertFalse(browser.isShown("#written"));
  }

  @Test
  public void shouldKeepTheFocusWhereTasksChangeTheirPlaces() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"2\"");
    runsIn("worker:0", 1);
    runsIn("worker:1", 2);
    open();
    browser.await(shows("#task-counts", "2 running"));
    browser.evaluate("document.querySelector('#task-rows button').focus()");
    assertEquals("log of worker:0", active("getAttribute('aria-label')"));

    master.add("TASK_FAILED", "worker:1", "\"message\":\"it broke\"");
    browser.await(shows("#task-counts", "1 running, 1 failed"));
    assertEquals("log of worker:1", active("getAttribute('aria-label')"));
  }

  /**
   * A browser has six connections to a server: its questions for events wait for one of them, too.
   */
  @Test
  public void shouldWaitForNoAnswerThatNobodyLooksAt() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.write("c1", "stdout", "one");
    open();
    browser.await(shows("#task-counts", "1 running"));
    master.hold(true);
    browser.click("#task-rows button");
    for (int i = 0; i < 4; i++) {
      browser.click("#written-files [data-file='stderr']");
      browser.click("#written-files [data-file='stdout']");
    }
    master.add("TASK_PROGRESS", "\"text\":\"step 3/4\"");
    browser.await(shows("#progress-text", "75 %"));

    master.busy(true);
    master.hold(false);
    browser.await(shows("#written-state", "Others read logs now; asks again."));
    master.busy(false);
    browser.await(writtenEnds("one") + " && " + FOLLOWS);
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldShowTheLogOfAnEarlierContainer() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.write("c1", "stdout", "the first");
    master.write("c2", "stdout", "the second");
    open();
    browser.await(shows("#task-counts", "1 running"));
    browser.click("#task-rows button");
    browser.await(writtenEnds("the first"));
    assertFalse("there is one only", browser.isShown("#written-container"));

    master.add("TASK_FAILED", "\"message\":\"it broke\",\"log\":\"http://n1:8042/x\"");
    master.add("TASK_RESTARTED", "\"where\":\"new\",\"kind\":\"PROGRAM\"");
    runsIn(2);
    browser.await(writtenEnds("the second"));
    assertEquals("2 on n2", browser.text("#written-container option:checked"));

    choose(0);
    browser.await(writtenEnds("the first") + " && !" + FOLLOWS);
    assertEquals("1 on n1", browser.text("#written-container option:checked"));
    assertEquals(List.of(), browser.complaints());
  }

  private static void choose(int container) throws Exception {
    browser.evaluate(
        "(choice => { choice.selectedIndex = %d; choice.dispatchEvent(new Event('change')); })"
                .formatted(container)
            + "(document.getElementById('written-container'))");
  }

  @Test
  public void shouldLeaveTheLogAloneWhereTheNextApplicationMasterTellsAllAgain() throws Exception {
    for (int attempt = 1; attempt <= 5; attempt++) {
      master.add("AM_STARTED", "\"attempt\":\"" + attempt + "\",\"host\":\"n\",\"tasks\":\"1\"");
    }
    for (int container = 1; container <= 3; container++) {
      runsIn(container);
      master.write("c" + container, "stdout", "number " + container);
    }
    master.add("TASK_PROGRESS", "\"text\":\"step 1/4\"");
    open();
    browser.await(shows("#progress-text", "25 %"));
    browser.click("#task-rows button");
    browser.await(writtenEnds("number 3"));
    choose(1);
    browser.await(writtenEnds("number 2") + " && !" + FOLLOWS);
    browser.evaluate(
        "(window.changes = 0, new MutationObserver(() => changes++)"
            + ".observe(document.getElementById('written-text'), { childList: true }))");

    master.tell(7); // all before the second container
    master.lose(1);
    master.add("TASK_PROGRESS", "\"text\":\"step 2/4\"");
    browser.await(shows("tbody tr td:nth-child(3)", "n1"));
    master.tell(Integer.MAX_VALUE);
    browser.await(shows("#progress-text", "50 %"));

    assertEquals("2 on n2", browser.text("#written-container option:checked"));
    assertEquals(0, browser.evaluate("changes").asInt());
  }

  private static String lines(int first, int length) {
    StringBuilder text = new StringBuilder();
    for (int line = first; text.length() < length; line++) {
      text.append("line ").append(line).append('\n');
    }
    return text.toString();
  }

  private static String lineAtTheTop() throws Exception {
    return browser
        .evaluate(
            """
            (() => {
              const { left, top } = document.getElementById('written-text').getBoundingClientRect();
              const { startContainer, startOffset } = document.caretRangeFromPoint(left + 20, top + 20);
              const before = startContainer.data.lastIndexOf('\\n', startOffset - 1) + 1;
              return startContainer.data.slice(before, before + 10);
            })()""")
        .asText();
  }

  /** What is read is not to move, and what is selected is to be copied. */
  @Test
  public void shouldTakeNothingAwayFromAReader() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.write("c1", "stdout", "begin");
    open();
    browser.await(shows("#task-counts", "1 running"));
    browser.click("#task-rows button");
    browser.await(writtenEnds("begin"));
    for (int part = 1; part <= 4; part++) {
      master.write("c1", "stdout", lines(part * 10_000, PIECE - 10) + "part " + part);
      browser.await(writtenEnds("part " + part));
    }

    String box = "document.getElementById('written-text')";
    browser.evaluate(box + ".scrollIntoView()");
    browser.evaluate(box + ".scrollTop = " + box + ".scrollHeight / 2");
    String read = lineAtTheTop();
    assertTrue(read, read.matches("line \\d{5}"));
    master.write("c1", "stdout", lines(50_000, 20_000) + "more");
    browser.await(writtenEnds("more"));
    assertEquals(read, lineAtTheTop());

    browser.evaluate("getSelection().setBaseAndExtent(%1$s, 0, %1$s, 1)".formatted(box));
    String before = browser.text("#written-state");
    String length = "getSelection().toString().length";
    int selected = browser.evaluate(length).asInt();
    master.write("c1", "stdout", lines(60_000, 20_000) + "last");
    browser.await("!(" + shows("#written-state", before) + ")");
    assertEquals(selected, browser.evaluate(length).asInt());
    browser.evaluate("getSelection().removeAllRanges()");
    browser.await(writtenEnds("last"));
    assertEquals(read, lineAtTheTop());
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldKeepTheLastPartOfWhatIsLong() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.write("c1", "stdout", "a line of a log\n".repeat(40_000) + "long");
    open();
    browser.await(shows("#task-counts", "1 running"));
    browser.click("#task-rows button");
    browser.await(writtenEnds("long"));
    assertEquals("The last part of 625.0 KiB. Follows.", browser.text("#written-state"));
    String length = "document.getElementById('written-text').textContent.length";
    assertEquals(PIECE, browser.evaluate(length).asInt());

    for (int part = 1; part <= 6; part++) {
      master.write("c1", "stdout", "x".repeat(PIECE - 1) + part);
      browser.await(writtenEnds("x" + part));
    }
    assertEquals(4 * PIECE, browser.evaluate(length).asInt());
    master.write("c1", "stdout", "y".repeat(40 * PIECE) + "caught up");
    browser.await(writtenEnds("caught up"));
    assertTrue(browser.evaluate(length).asInt() <= 4 * PIECE);
  }

  @Test
  public void shouldNameTheCommandWhereNobodyAnswersAfterTheEnd() throws Exception {
    master.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    runsIn(1);
    master.add(
        "TASK_FAILED",
        "\"message\":\"it broke\",\"stderr\":\"the reason\",\"log\":\"http://n1:8042/x\"");
    master.add("JOB_FINISHED", "\"status\":\"FAILED\",\"task\":\"worker:0\"");
    open();
    browser.await(END);
    master.gone(true);
    assertFalse("it would lead nowhere", browser.isShown("#failure-log"));
    browser.click("#failure-open");
    browser.await("document.getElementById('written-why').textContent !== ''");
    String why = browser.text("#written-why");
    assertTrue(why, why.endsWith("This command shows it: tony logs application_1_1 worker:0"));
    browser.click("#written-close");
    assertEquals("failure-open", active("id"));
  }
}
