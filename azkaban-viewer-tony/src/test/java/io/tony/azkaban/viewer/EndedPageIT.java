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

/** What the page says when a job, or who serves its page, has ended; and of names and times. */
public final class EndedPageIT {
  private static final String END = BrowserTest.END;
  private static final String HISTORY = "http://history:18090/jobs/application_1_1@ada/";

  @ClassRule public static final Chromium browser = new Chromium();

  private final StandInPage page = new StandInPage();
  private final Server server = new Server();
  private final SocketConnector connector = new SocketConnector();

  @Before
  public void serve() throws Exception {
    connector.setHost("localhost");
    server.addConnector(connector);
    new Context(server, "/proxy/application_1_1").addServlet(new ServletHolder(page), "/*");
    server.start();
    browser.complaints();
  }

  @After
  public void stop() throws Exception {
    browser.open("about:blank");
    server.stop();
  }

  private void open() throws Exception {
    browser.open("http://localhost:" + connector.getLocalPort() + "/proxy/application_1_1/");
  }

  private static String shows(String selector, String text) {
    return BrowserTest.shows(selector, text);
  }

  private static String link(String selector) throws Exception {
    return browser.evaluate("document.querySelector('" + selector + "')?.href ?? ''").asText();
  }

  private void runs() {
    page.add("AM_STARTED", "\"attempt\":\"1\",\"host\":\"n\",\"tasks\":\"1\"");
    page.add("TASK_ALLOCATED", "\"container\":\"c1\",\"node\":\"n1\",\"log\":\"http://n1:8042/x\"");
    page.add("TASK_STARTED", "\"pid\":\"1\"");
  }

  private void fails() {
    page.add("TASK_FAILED", "\"message\":\"it broke\",\"log\":\"http://n1:8042/x\"");
    page.add("JOB_FINISHED", "\"status\":\"FAILED\",\"task\":\"worker:0\"");
  }

  @Test
  public void shouldLeadToTheHistoryFromAPageThatWasOpenWhenTheJobEnded() throws Exception {
    page.history(HISTORY);
    runs();
    open();
    browser.await(shows("#task-counts", "1 running"));
    assertFalse(browser.isShown("#moved"));

    fails();
    browser.await(END);
    page.gone(true);

    assertTrue(browser.isShown("#moved"));
    assertEquals(HISTORY, link("#moved a"));
    for (String button : List.of("#failure-open", "#task-rows button")) {
      browser.click(button);
      browser.await("document.getElementById('written-why').textContent !== ''");
      assertEquals(
          "The job has ended, and the server of this page with it."
              + " The history has what its tasks wrote.",
          browser.text("#written-why"));
      assertEquals(HISTORY, link("#written-node a"));
      browser.click("#written-close");
    }
    assertFalse("a job that has ended is no trouble", browser.isShown("#trouble"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldOfferTheHistoryWhereNobodySaysThatTheJobHasEnded() throws Exception {
    page.history(HISTORY);
    runs();
    open();
    browser.await(shows("#task-counts", "1 running"));
    page.gone(true);
    browser.await("!document.getElementById('trouble').hidden");
    assertEquals(HISTORY, link("#trouble a"));
    assertTrue(browser.text("#trouble").startsWith("The ApplicationMaster does not answer"));
  }

  @Test
  public void shouldOpenNothingButAWebAddress() throws Exception {
    page.history("javascript:alert(1)");
    runs();
    fails();
    open();
    browser.await(END);
    assertFalse(browser.isShown("#moved"));
  }

  @Test
  public void shouldSayThatNothingIsKnownOfTheTasksOfALostJob() throws Exception {
    page.history(null);
    runs();
    page.end("LOST", "its end is <not> recorded");
    open();
    browser.await(END);

    assertEquals("LOST", browser.text("#state"));
    assertEquals("its end is <not> recorded", browser.text("#failure-message"));
    assertEquals("1 unknown", browser.text("#task-counts"));
    assertEquals("unknown", browser.text("#task-rows .state"));
    String color =
        "getComputedStyle(document.querySelector('%s')).%s === getComputedStyle(document.querySelector('#failure')).borderTopColor";
    assertTrue(browser.evaluate(color.formatted("#state", "color")).asBoolean());
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldBlameWhoFailed() throws Exception {
    page.history(null);
    runs();
    open();
    browser.await(shows("#task-counts", "1 running"));
    page.refuse(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, "<html>broken</html>");
    browser.await("!document.getElementById('trouble').hidden");
    assertEquals(
        "The history answered with HTTP status 500. The page tries again.",
        browser.text("#trouble"));
  }

  @Test
  public void shouldSayWhenAJobWasSubmittedStartedAndEnded() throws Exception {
    runs();
    open();
    browser.await(shows("#task-counts", "1 running"));
    assertEquals("Elapsed", browser.text("#elapsed-name"));
    String day = "\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2} \\S+";
    assertTrue(browser.text("#submitted"), browser.text("#submitted").matches(day));
    assertFalse(browser.isShown("#finished"));

    fails();
    browser.await(END);
    assertEquals("Took, from submission to end", browser.text("#elapsed-name"));
    for (String one : List.of("#submitted", "#started", "#finished")) {
      assertTrue(one + " " + browser.text(one), browser.text(one).matches(day));
    }
    String ended = "document.querySelector('#finished time').dateTime";
    assertEquals("2026-11-23T12:00:04.000Z", browser.evaluate(ended).asText());
  }

  @Test
  public void shouldNameTheDaysOfALongJob() throws Exception {
    runs();
    page.add("NODES_FORGIVEN", "");
    open();
    browser.await("document.querySelectorAll('#mishaps li').length === 1");
    page.addAt("2026-11-26T12:00:00Z", "NODES_FORGIVEN", "worker:0", "");
    browser.await("document.querySelectorAll('#mishaps li.day').length === 2");
    assertEquals(4, browser.evaluate("document.querySelectorAll('#mishaps li').length").asInt());
  }

  @Test
  public void shouldLetNoNameTurnWhatStandsAroundIt() throws Exception {
    page.name("night\u202ely");
    runs();
    page.add("JOB_DESCRIBED", "\"project\":\"p\u202e\",\"flow\":\"f\",\"execution\":\"9\"");
    page.add("NODE_AVOIDED", "\"node\":\"n\u2067\",\"message\":\"\u202ebad\"");
    open();
    browser.await("document.querySelectorAll('#mishaps li').length === 1");

    assertEquals("night\ufffdly", browser.text("h1"));
    assertEquals("night\ufffdly \u00b7 TonY", browser.evaluate("document.title").asText());
    assertEquals("p\ufffd \u203a f (execution 9)", browser.text("#flow"));
    assertEquals(3, browser.evaluate("document.querySelectorAll('#flow bdi').length").asInt());
    assertFalse(
        browser
            .evaluate("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)")
            .asBoolean());
  }

  @Test
  public void shouldSayAfterATakeoverThatTheTasksRun() throws Exception {
    runs();
    page.add("GANG_RUNNING", "");
    open();
    browser.await(shows("#phase", "the gang runs"));
    page.add("AM_STARTED", "\"attempt\":\"2\",\"host\":\"m\",\"tasks\":\"1\",\"running\":\"1\"");
    browser.await("document.getElementById('mishaps').textContent.includes('attempt 2 on m')");
    assertEquals("the gang runs", browser.text("#phase"));
  }
}
