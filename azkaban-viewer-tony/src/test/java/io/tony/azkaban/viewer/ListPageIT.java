package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import io.tony.testing.Chromium;
import java.io.IOException;
import java.util.List;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;
import org.mortbay.jetty.Server;
import org.mortbay.jetty.bio.SocketConnector;
import org.mortbay.jetty.servlet.Context;
import org.mortbay.jetty.servlet.ServletHolder;

/** The history's list of jobs, and the runs of a step, where the history does not answer well. */
public final class ListPageIT {
  private static final String TROUBLE = "!document.getElementById('trouble').hidden";

  @ClassRule public static final Chromium browser = new Chromium();

  private final StandInLists lists = new StandInLists();
  private final Server server = new Server();
  private final SocketConnector connector = new SocketConnector();

  /** Answers as the history does. */
  private static final class StandInLists extends HttpServlet {
    private int refusal; // an HTTP status; 0 for none
    private String type = "text/plain";
    private String text = "";
    private boolean holds; // those who ask for data

    synchronized void refuse(int status, String contentType, String words) {
      refusal = status;
      type = contentType;
      text = words;
    }

    synchronized void hold(boolean now) {
      holds = now;
      notifyAll();
    }

    private synchronized void answer(HttpServletResponse response) throws IOException {
      try {
        while (holds) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (refusal != 0) {
        response.setStatus(refusal);
        response.setContentType(type);
        response.getWriter().write(text);
        return;
      }
      response.setContentType("application/json; charset=utf-8");
      response
          .getWriter()
          .write(
              "{\"total\":1,\"offset\":0,\"jobs\":[{\"application\":\"application_1_1\",\"user\":\"ada\","
                  + "\"project\":\"p\u202e\",\"flow\":\"f\",\"job\":\"j\",\"status\":\"LOST\",\"restarts\":0,"
                  + "\"queue\":\"q\",\"submitted\":\"2026-11-23T12:00:00Z\"}]}");
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      PageFiles.headers().forEach(response::setHeader);
      PageFile file = PageFiles.ofLists().at(request.getPathInfo());
      if (file == null) {
        answer(response);
      } else {
        response.setContentType(file.type());
        response.getOutputStream().write(file.content());
      }
    }
  }

  @Before
  public void serve() throws Exception {
    connector.setHost("localhost");
    server.addConnector(connector);
    new Context(server, "/").addServlet(new ServletHolder(lists), "/*");
    server.start();
    browser.complaints();
  }

  @After
  public void stop() throws Exception {
    lists.hold(false);
    browser.open("about:blank");
    server.stop();
  }

  private void open(String page) throws Exception {
    browser.open("http://localhost:" + connector.getLocalPort() + page);
  }

  private static String shows(String selector, String text) {
    return BrowserTest.shows(selector, text);
  }

  @Test
  public void shouldShowTheServersWordsToWhoMayNotSeeTheList() throws Exception {
    lists.refuse(403, "text/plain", "mallory may not <see> this");
    for (String page : List.of("/", "/compare?project=p&flow=f&job=j")) {
      open(page);
      browser.await(TROUBLE);
      assertEquals("mallory may not <see> this", browser.text("#trouble"));
    }
    lists.refuse(403, "text/html", "<html>a page</html>");
    open("/");
    browser.await(TROUBLE);
    assertEquals(
        "The history does not show this to you (HTTP status 403). Log in as a user who may see it.",
        browser.text("#trouble"));
  }

  @Test
  public void shouldAskForALoginAndSayThatItLoads() throws Exception {
    lists.hold(true);
    lists.refuse(401, "text/html", "<html>a page</html>");
    open("/");
    browser.await(shows("#position", "Loading…"));
    lists.hold(false);
    browser.await(TROUBLE);
    assertEquals(
        "The history wants a login. Log in, and load this page again.", browser.text("#trouble"));
    assertEquals("", browser.text("#position"));
  }

  @Test
  public void shouldAskAgainWhereTheServerFails() throws Exception {
    lists.refuse(500, "text/html", "<html>a page</html>");
    open("/");
    browser.await(TROUBLE);
    assertEquals(
        "The history answered with HTTP status 500. The page tries again.",
        browser.text("#trouble"));
    lists.refuse(0, "", "");
    browser.await(shows("#position", "1 to 1 of 1 job"));
    assertEquals("p\ufffd › f › j", browser.text("#jobs th a"));
    assertTrue(browser.evaluate("document.getElementById('trouble').hidden").asBoolean());
  }
}
