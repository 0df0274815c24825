package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.BeforeClass;
import org.junit.Test;

/** The real TensorBoard shows what the real TensorFlow writes, while it trains. */
public class FrameworkTensorBoardIT extends ClusterFlowTest {
  private static final Duration SHOWN_WITHIN = Duration.ofMinutes(3);
  private static final String TAGS = "/data/plugin/scalars/tags";

  private final HttpClient client =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require("tensorflow");
  }

  private String get(String url) throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(url, 200, response.statusCode());
    return response.body();
  }

  /** TensorBoard reads what was written every few seconds, and tells nobody. */
  private String await(String url, String text) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + SHOWN_WITHIN.toNanos();
    String body = get(url);
    while (!body.contains(text)) {
      assertTrue("no " + text + " in " + body, System.nanoTime() < deadline);
      Thread.sleep(100);
      body = get(url);
    }
    return body;
  }

  @Test
  public void shouldShowTheLossWhileTensorFlowTrains() throws Exception {
    FlowExecution execution =
        FlowEngine.prepare(
            sample("tensorflow")
                .property("python", FrameworkEnvironments.python("tensorflow"))
                .property("checkpoint.dir", root().resolve("checkpoints").toString())
                .property("steps", "1000000")
                .build());
    execution.start();
    try {
      String link =
          events.awaitLine("train", applicationOf("train") + " submitted to queue default: ");
      events.awaitLine("train", "3/3 tasks running");
      String url = events.awaitLine("train", "TensorBoard: ");

      await(url + TAGS, "\"loss\"");
      String points = await(url + "/data/plugin/scalars/scalars?run=.&tag=loss", ", 20, ");
      assertTrue(points, points.startsWith("[["));

      await(url, "<title>TensorBoard</title>");

      // YARN's link sends the browser there.
      await(link, "content=\"0; url=" + url + "\"");
    } finally {
      execution.kill("the test, which has seen enough");
    }
    assertEquals(log("train"), Status.KILLED, execution.await().job("train").status());
  }

  private String applicationOf(String job) throws InterruptedException {
    return "application_" + events.awaitLine(job, "application_").replaceFirst(" .*", "");
  }
}
