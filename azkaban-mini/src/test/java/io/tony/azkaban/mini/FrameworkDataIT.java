package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.TonyCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.BeforeClass;
import org.junit.Test;

/** Without Kerberos; WebHDFS and S3, too. */
public class FrameworkDataIT extends DataPrograms {
  @BeforeClass
  public static void startCluster() throws Exception {
    startCluster(false);
  }

  @Test
  public void shouldReadOverWebHdfs() throws Exception {
    makeData();
    URI nameNode = URI.create(cluster.property("namenode.http"));
    String address = nameNode.getHost() + " " + nameNode.getPort();
    try (TonyCommand job =
        submit(pythons("over_webhdfs.py " + address + " " + DATA), "tony.worker.instances=1")) {
      assertPrinted(printed(job), "1000 rows by WebHDFS");
    }
  }

  @Test
  public void shouldReadAndWriteS3WithKeysThatTheLogDoesNotShow() throws Exception {
    String secret = "canary-" + UUID.randomUUID();
    Process moto =
        new ProcessBuilder(command("moto_server"), "-H127.0.0.1", "-p0")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = moto.inputReader(StandardCharsets.UTF_8)) {
      String s3 = awaitUrl(lines);
      put(s3 + "/training", "");
      put(
          cluster.property("namenode.http")
              + "/webhdfs/v1/user/alice/aws-credentials?op=CREATE&user.name=alice&permission=600",
          "[default]\naws_access_key_id = alice\naws_secret_access_key = " + secret + "\n");
      try (TonyCommand job =
          submit(
              pythons("on_s3.py training/alice"),
              "tony.worker.instances=1",
              "tony.worker.resources=hdfs:///user/alice/aws-credentials",
              "tony.execution.env.AWS_SHARED_CREDENTIALS_FILE=aws-credentials",
              "tony.execution.env.AWS_ENDPOINT_URL=" + s3)) {
        String printed = printed(job);
        assertPrinted(printed, "10 rows from S3");
        String events = "/user/alice/.tony/history/" + job.application() + "/events.jsonl";
        String all = printed + job.text() + cluster.hdfsText(events);
        assertTrue("the place may be known", all.contains("aws-credentials"));
        assertFalse(all, all.contains(secret));
      }
    } finally {
      moto.destroy();
      moto.waitFor();
    }
  }

  private static String awaitUrl(BufferedReader lines) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher url = Pattern.compile("Running on (http://[0-9.:]+)").matcher(line);
      if (url.find()) {
        return url.group(1);
      }
    }
    throw new AssertionError("moto_server has ended");
  }

  private static void put(String url, String body) throws Exception {
    HttpClient http =
        HttpClient.newBuilder()
            .proxy(ProxySelector.of(null))
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).PUT(BodyPublishers.ofString(body)).build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    assertEquals(response.body(), 2, response.statusCode() / 100);
  }
}
