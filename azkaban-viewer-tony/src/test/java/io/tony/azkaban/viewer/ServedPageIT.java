package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import io.tony.testing.Chromium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.mortbay.jetty.Server;
import org.mortbay.jetty.bio.SocketConnector;
import org.mortbay.jetty.servlet.Context;
import org.mortbay.jetty.servlet.ServletHolder;

/** The page beside the events that are served to it, whatever becomes of who serves them. */
public final class ServedPageIT {
  private static final String END = "document.body.ariaBusy === 'false'";

  @ClassRule public static final TemporaryFolder PROFILE = new TemporaryFolder();
  private static Chromium browser;

  private final StandIn master = new StandIn();
  private final Server server = new Server();
  private final SocketConnector connector = new SocketConnector();

  /** Answers as an ApplicationMaster, or as what YARN shows where none is. */
  private static final class StandIn extends HttpServlet {
    private final PageFiles files = read();
    private final List<String> lines = new ArrayList<>();
    private int teller = 1;
    private boolean gone;
    private boolean refuses;

    private static PageFiles read() {
      try {
        return PageFiles.ofJob();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    synchronized void add(String type, String details) {
      lines.add(
          "{\"v\":1,\"time\":\"2026-11-23T12:00:0"
              + lines.size() % 10
              + "Z\",\"type\":\""
              + type
              + "\",\"session\":0"
              + (type.startsWith("TASK_") ? ",\"task\":\"worker:0\"" : "")
              + ",\"details\":{"
              + details
              + "}}");
    }

    /** The next one knows only what was written. */
    synchronized void lose(int lastLines) {
      teller++;
      lines.subList(lines.size() - lastLines, lines.size()).clear();
    }

    synchronized void gone(boolean now) {
      gone = now;
    }

    synchronized void refuse() {
      refuses = true;
    }

    @Override
    protected synchronized void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      PageFiles.headers().forEach(response::setHeader);
      PageFile file = files.at(request.getPathInfo());
      if (file != null) {
        response.setContentType(file.type());
        response.getOutputStream().write(file.content());
      } else if (gone) {
        response.setContentType("text/html");
        response.getWriter().write("<html>YARN's own page</html>");
      } else if (refuses) {
        response.setStatus(HttpServletResponse.SC_FORBIDDEN);
        response.setContentType("text/plain");
        response.getWriter().write("mallory may not see <this> job");
      } else {
        response.setContentType("application/json");
        response.getWriter().write(answer(request));
      }
    }

    private String answer(HttpServletRequest request) {
      if (request.getPathInfo().equals("/job")) {
        return "{\"application\":\"application_1_1\",\"name\":\"nightly\",\"queue\":\"default\","
            + "\"path\":[{\"label\":\"YARN application\",\"href\":\"/cluster\"}]}";
      }
      int from = Math.min(Integer.parseInt(request.getParameter("from")), lines.size());
      return "{\"from\":"
          + from
          + ",\"finished\":false,\"pause\":100,\"teller\":"
          + teller
          + ",\"events\":["
          + String.join(",", lines.subList(from, lines.size()))
          + "]}";
    }
  }

  @BeforeClass
  public static void startBrowser() throws Exception {
    browser =
        Chromium.start(Path.of(System.getProperty("browser.setup")), PROFILE.getRoot().toPath());
  }

  @AfterClass
  public static void stopBrowser() throws Exception {
    if (browser != null) {
      browser.stop();
    }
  }

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
    master.gone(true); // nobody is asked any more
    assertFalse(browser.isShown("#trouble"));
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
    master.refuse();
    open();
    browser.await(END);

    assertEquals("mallory may not see <this> job", browser.text("#trouble"));
  }
}
