package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.webapp.plugin.PluginRegistry;
import azkaban.webapp.plugin.ViewerPlugin;
import java.io.DataInputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The servlet, as Azkaban 2.5.0 loads it from the plugin's folder, asked over HTTP. */
public final class TonyViewerServletTest {

  private static final int JAVA_8 = 52;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final HttpClient client = HttpClient.newHttpClient();
  private ViewerHost host;
  private URI root;

  @Before
  public void install() throws Exception {
    Path plugin = folder.newFolder("viewer", "tony").toPath();
    // The class path has the classes; Azkaban wants the folder to be there.
    Files.createDirectories(plugin.resolve("lib"));
    Path conf = Files.createDirectories(plugin.resolve("conf"));
    Files.copy(Path.of(System.getProperty("viewer.properties")), conf.resolve("plugin.properties"));
    host = new ViewerHost("/azkaban", plugin.getParent());
    root = host.start();
  }

  @After
  public void stop() throws Exception {
    host.stop();
  }

  @Test
  public void shouldBeATabOfTonyJobsOnly() {
    List<ViewerPlugin> tabs = PluginRegistry.getRegistry().getViewerPluginsForJobType("tony");

    assertEquals(1, tabs.size());
    assertEquals("TonY", tabs.get(0).getPluginName());
    assertEquals("tony", tabs.get(0).getPluginPath());
    assertTrue(tabs.get(0).isHidden());
  }

  @Test
  public void shouldLeadFromAzkabansLinkIntoItsFolderWithTheSameQuery() throws Exception {
    HttpResponse<String> response = get("/tony?execid=17&jobid=flow%3Atrain%0D%0Ax");

    assertEquals(302, response.statusCode());
    assertEquals(
        "./tony/?execid=17&jobid=flow%3Atrain%0D%0Ax",
        response.headers().firstValue("Location").orElse(""));
    assertEquals(
        "./tony/", get("/tony;jsessionid=a/b").headers().firstValue("Location").orElse(""));
  }

  @Test
  public void shouldServeEveryFileThatThePageNames() throws Exception {
    HttpResponse<String> page = get("/tony/?execid=17&jobid=train");

    assertEquals(200, page.statusCode());
    assertEquals("text/html; charset=utf-8", type(page));
    assertFalse(page.body().contains("train"));
    assertServed(page.body(), Pattern.compile("(?:href|src)=\"([\\w.]+)\""));
  }

  private void assertServed(String text, Pattern reference) throws Exception {
    for (String name : reference.matcher(text).results().map(match -> match.group(1)).toList()) {
      HttpResponse<String> file = get("/tony/" + name);
      assertEquals(name, 200, file.statusCode());
      assertEquals("nosniff", file.headers().firstValue("X-Content-Type-Options").orElse(""));
      assertEquals(
          name,
          name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
          type(file));
      assertServed(file.body(), Pattern.compile("from '\\./([\\w.]+)'"));
    }
  }

  @Test
  public void shouldForbidEverythingThatIsNotItsOwn() throws Exception {
    for (String path : List.of("/tony", "/tony/", "/tony/page.js", "/tony/none")) {
      String policy =
          get(path).headers().firstValue("Content-Security-Policy").orElse("none on " + path);
      assertTrue(policy, policy.startsWith("default-src 'self'; object-src 'none';"));
      assertFalse(policy, policy.contains("unsafe"));
    }
  }

  @Test
  public void shouldServeNothingThatIsNotListed() throws Exception {
    for (String path :
        List.of(
            "/tony/TonyViewerServlet.class",
            "/tony/..%2f..%2fplugin.properties",
            "/tony/%2e%2e/conf/plugin.properties",
            "/tony/x/../../conf/plugin.properties",
            "/tony//page.js",
            "/tony/page.js/",
            "/tony/%00")) {
      HttpResponse<String> response = get(path);
      assertTrue(path + " " + response.statusCode(), response.statusCode() >= 400);
      assertFalse(path, response.body().contains("viewer.servlet.class"));
    }
  }

  @Test
  public void shouldSendAFileOnceUntilItIsAnother() throws Exception {
    HttpResponse<String> first = get("/tony/page.js");
    String tag = first.headers().firstValue("ETag").orElse("");

    HttpResponse<String> again = get("/tony/page.js", "If-None-Match", tag);

    assertEquals(HttpURLConnection.HTTP_NOT_MODIFIED, again.statusCode());
    assertEquals("", again.body());
    assertEquals(200, get("/tony/log.js", "If-None-Match", tag).statusCode());
  }

  @Test
  public void shouldLoadInAnAzkabanThatRunsOnJava8() throws Exception {
    Path classes =
        Path.of(
            TonyViewerServlet.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Path> files;
    try (Stream<Path> all = Files.walk(classes)) {
      files = all.filter(file -> file.toString().endsWith(".class")).toList();
    }
    assertFalse(files.isEmpty());
    for (Path file : files) {
      try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
        assertEquals(file.toString(), 0xCAFEBABE, in.readInt());
        in.readUnsignedShort();
        assertEquals(file.toString(), JAVA_8, in.readUnsignedShort());
      }
    }
  }

  private static String type(HttpResponse<String> response) {
    return response.headers().firstValue("Content-Type").orElse("");
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(root + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }
}
