package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.Chromium;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Test;

/** The page of a job that runs, in a real browser, behind YARN's own proxy. */
public class JobPageIT extends ClusterTest {
  @ClassRule public static final Chromium browser = new Chromium();

  private static String shows(String selector, String text) {
    return "document.querySelector(`" + selector + "`)?.textContent.trim() === `" + text + "`";
  }

  /** YARN learns with the ApplicationMaster's next call that it has a page. */
  private static String link(String application) throws Exception {
    while (report(application).getOriginalTrackingUrl().equals("N/A")) {
      Thread.sleep(20);
    }
    return report(application).getTrackingUrl();
  }

  @Test
  public void shouldShowAJobFromItsFirstMinuteToItsEnd() throws Exception {
    Path here = folder.getRoot().toPath();
    String program =
        "until [ -e '%s/'$TASK_INDEX ]; do sleep 0.1; done; echo 'step 3/4'; echo oops >&2; exit %s";
    try (TonyCommand tony =
        submit(
            "-executes",
            program.formatted(here, "$TASK_INDEX"),
            "-conf",
            "tony.application.name=night <b>\"&amp;",
            "-conf",
            "tony.history.url=http://history.example",
            "-conf",
            "tony.worker.instances=2")) {
      tony.await("2/2 tasks running");
      String application = tony.application();
      String link = link(application);
      assertTrue(link, link.contains("/proxy/" + application));

      browser.open(link);
      browser.await(shows("#task-counts", "2 running"));
      assertEquals("night <b>\"&amp;", browser.text("h1"));
      assertEquals("RUNNING", browser.text("#state"));
      assertEquals("the gang runs", browser.text("#phase"));
      assertEquals(application, browser.text("#application"));
      assertEquals("as YARN names it", "root.default", browser.text("#queue"));
      assertEquals("YARN application", browser.text("#place"));
      assertEquals(System.getProperty("user.name"), browser.text("#user"));
      browser.click("#configuration summary");
      browser.type("#option-text", "worker.instances");
      assertEquals("tony.worker.instances 2", browser.text("#option-rows tr"));
      assertFalse(browser.isShown("#attempt"));
      assertFalse(browser.isShown("#trouble"));

      write("0", "");
      browser.await(shows("#task-counts", "1 running, 1 succeeded"));

      write("1", "");
      browser.await("document.body.ariaBusy === 'false'");
      assertEquals("FAILED", browser.text("#state"));
      assertTrue(
          browser.text("#failure-message"),
          browser.text("#failure-message").startsWith("worker:1 exited with code 1"));
      assertEquals("oops", browser.text("#stderr-text"));
      assertTrue(
          browser.text("#goodput-line"), browser.text("#goodput-line").startsWith("goodput "));
      browser.await("document.querySelectorAll('#spans g').length === 2");
      assertFalse(browser.isShown("#trouble"));
      assertEquals(List.of(), browser.complaints());
      tony.assertExit(1);
      assertEquals(
          "where YARN's link leads now",
          "http://history.example/jobs/"
              + application
              + "@"
              + System.getProperty("user.name")
              + "/",
          report(application).getOriginalTrackingUrl());
    }
  }

  private static String writtenEnds(String text) {
    return "document.getElementById('written-text').textContent.endsWith(`" + text + "\\n`)";
  }

  @Test
  public void shouldShowWhatATaskWritesWhileItRuns() throws Exception {
    Path here = folder.getRoot().toPath();
    String program =
        "echo 'the <b>first</b>'; until [ -e '%s/more' ]; do sleep 0.1; done; echo second;"
            + " echo oops >&2; until [ -e '%s/end' ]; do sleep 0.1; done";
    try (TonyCommand tony =
        submit("-executes", program.formatted(here, here), "-conf", "tony.worker.instances=1")) {
      tony.await("1/1 tasks running");
      browser.open(link(tony.application()));
      browser.await(shows("#task-counts", "1 running"));
      browser.click("#task-rows button");
      browser.await(writtenEnds("the <b>first</b>"));
      assertEquals("Log of worker:0", browser.text("#written-title"));

      write("more", "");
      browser.await(writtenEnds("second"));
      browser.click("#written-files [data-file='stderr']");
      browser.await(writtenEnds("oops"));
      browser.click("#written-files [data-file='executor.log']");
      browser.await("document.getElementById('written-text').textContent !== ''");
      browser.click("#written-close"); // no question for more of it meets the end

      write("end", "");
      tony.assertExit(0);
      assertEquals(List.of(), browser.complaints());
    }
  }

  /** What the ApplicationMaster says to somebody with another address than YARN's proxy. */
  static String answer(URI page, String from) throws IOException {
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(from, 0));
      socket.connect(new InetSocketAddress(page.getHost(), page.getPort()));
      socket
          .getOutputStream()
          .write(
              "GET /events HTTP/1.1\r\nCookie: proxy-user=root\r\n\r\n"
                  .getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  public void shouldBeReachableThroughTheProxyOnly() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    Path here = folder.getRoot().toPath();
    try (TonyCommand tony =
        submit(
            "-executes",
            "until [ -e '" + here + "/end' ]; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=1")) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      String through = link(application);
      URI itself = URI.create(report(application).getOriginalTrackingUrl());

      String direct = answer(itself, "127.0.0.99");
      HttpResponse<String> proxied =
          client.send(
              HttpRequest.newBuilder(URI.create(through).resolve("events")).build(),
              BodyHandlers.ofString());
      HttpResponse<String> metrics =
          client.send(
              HttpRequest.newBuilder(URI.create(through).resolve("metrics")).build(),
              BodyHandlers.ofString());
      write("end", "");
      tony.assertExit(0);

      assertTrue(direct, direct.startsWith("HTTP/1.1 302 "));
      assertTrue(direct, direct.contains("Location: " + through + "\r\n"));
      assertEquals(200, proxied.statusCode());
      assertTrue(proxied.body(), proxied.body().contains("GANG_RUNNING"));
      assertEquals(200, metrics.statusCode());
      String type = metrics.headers().firstValue("Content-Type").orElseThrow();
      assertTrue(type, type.replace(" ", "").startsWith("text/plain;version=0.0.4"));
      assertTrue(
          metrics.body(),
          metrics.body().contains("\ntony_tasks{role=\"worker\",state=\"running\"} 1\n"));
    }
  }
}
