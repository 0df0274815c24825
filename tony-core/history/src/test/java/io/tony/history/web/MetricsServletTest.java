package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.history.HistoryIndex;
import io.tony.history.RecordedJobs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What a Prometheus server is answered by the history service. */
public class MetricsServletTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Configuration conf = new Configuration();

  private interface Steps {
    void with(HistoryServer server) throws Exception;
  }

  private void serve(Steps steps) throws Exception {
    Path history = folder.newFolder("history").toPath();
    RecordedJobs.writeEnded(history, 1);
    RecordedJobs.write(history, 2, RecordedJobs.begin(2));
    FileSystem fs = FileSystem.getLocal(conf);
    try (HistoryIndex index =
            new HistoryIndex(
                fs, List.of(history.toUri().toString()), null, 1, () -> RecordedJobs.submitted(3));
        HistoryServer server =
            new HistoryServer(
                conf,
                fs,
                index,
                InetSocketAddress.createUnresolved("localhost", 0),
                Duration.ofHours(1),
                Optional.empty())) {
      index.update();
      server.start();
      steps.with(server);
    }
  }

  private static HttpResponse<String> get(HistoryServer server, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://localhost:" + server.address().getPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  @Test
  public void shouldTellTheFiguresOfAllJobs() throws Exception {
    serve(
        server -> {
          HttpResponse<String> answer = get(server, "/metrics");
          assertEquals(200, answer.statusCode());
          String type = answer.headers().firstValue("Content-Type").orElseThrow();
          assertTrue(type, type.replace(" ", "").startsWith("text/plain;version=0.0.4;"));
          assertTrue(
              answer.body(),
              answer.body().contains("\ntony_history_jobs{status=\"succeeded\"} 1\n"));
        });
  }

  @Test
  public void shouldNameTheJobsThatRunAsTargets() throws Exception {
    conf.set(YarnConfiguration.PROXY_ADDRESS, "proxy.example:8089");
    serve(
        server -> {
          HttpResponse<String> answer = get(server, "/metrics/jobs");
          String type = answer.headers().firstValue("Content-Type").orElseThrow();
          assertTrue(type, type.matches("application/json(;\\s*charset=utf-8)?"));
          String targets = answer.body();
          assertTrue(targets, targets.startsWith("[{\"targets\":[\"proxy.example:8089\"],"));
          assertTrue(
              targets,
              targets.contains(
                  "\"__metrics_path__\":\"/proxy/" + RecordedJobs.id(2) + "/metrics\""));
          assertTrue(targets, targets.contains("\"instance\":\"" + RecordedJobs.id(2) + "\""));
          assertTrue(targets, !targets.contains(RecordedJobs.id(1)));
        });
  }

  @Test
  public void shouldTellThemToAdministratorsOnlyWhereYarnAsks() throws Exception {
    conf.setBoolean(YarnConfiguration.YARN_ACL_ENABLE, true);
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "root");
    serve(
        server -> {
          HttpResponse<String> refused = get(server, "/metrics");
          assertEquals(403, refused.statusCode());
          assertTrue(refused.body(), refused.body().contains("yarn.admin.acl"));
          assertEquals("[]", get(server, "/metrics/jobs").body());
        });
  }

  @Test
  public void shouldTellThemToAnAdministrator() throws Exception {
    conf.setBoolean(YarnConfiguration.YARN_ACL_ENABLE, true);
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "dr.who"); // whom Hadoop takes a stranger for
    serve(
        server -> {
          assertEquals(200, get(server, "/metrics").statusCode());
          String targets = get(server, "/metrics/jobs").body();
          assertTrue(targets, targets.contains(RecordedJobs.id(2)));
        });
  }
}
