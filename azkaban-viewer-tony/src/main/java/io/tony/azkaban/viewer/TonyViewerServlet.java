package io.tony.azkaban.viewer;

import azkaban.utils.Props;
import azkaban.webapp.servlet.AbstractAzkabanServlet;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Serves the TonY tab of a job's page: some static files, the same for everybody. Which job it is
 * about stands in the page's own address ({@code ?execid=…&jobid=…}), and what the page shows it
 * reads through Azkaban's {@code /executor}, with the session and the permissions of whoever looks.
 * {@link AbstractAzkabanServlet} asks for no login, and nothing here would need one.
 *
 * <p>For the web servers of Azkaban 2.5, 3.x and 4.x. Only 2.5.0's is on Maven Central, and the
 * tests load it there; for the others' sake it keeps to the name of the base class and to the
 * constructor, which are the same in all. The types of {@code newPage} and {@code getApplication}
 * are not. The servlet API is 2.5, that of Azkaban's Jetty 6.
 */
public final class TonyViewerServlet extends AbstractAzkabanServlet {

  private static final String PAGE = "/";

  /** Nothing but the files below, and nothing in them that is written in line. */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'self'";

  private final Map<String, Asset> assets;

  /**
   * As Azkaban makes it.
   *
   * @param properties of conf/plugin.properties; none is for the servlet
   * @throws IOException when the jar is not whole
   */
  public TonyViewerServlet(@SuppressWarnings("unused") Props properties) throws IOException {
    Map<String, Asset> files = new LinkedHashMap<>();
    files.put(PAGE, Asset.read("index.html", "text/html; charset=utf-8"));
    files.put("/viewer.css", Asset.read("viewer.css", "text/css; charset=utf-8"));
    for (String script :
        new String[] {
          "azkaban",
          "chart",
          "curves",
          "dom",
          "follower",
          "job",
          "log",
          "metrics",
          "page",
          "tasks",
          "text"
        }) {
      String name = script + ".js";
      files.put("/" + name, Asset.read(name, "text/javascript; charset=utf-8"));
    }
    assets = Collections.unmodifiableMap(files);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "same-origin");
    String path = request.getPathInfo();
    if (path == null) {
      redirectIntoFolder(request, response);
      return;
    }
    Asset asset = assets.get(path);
    if (asset == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    send(asset, request, response);
  }

  /**
   * From {@code /tony?execid=…}, where Azkaban's link leads, to {@code /tony/?execid=…}, so that
   * the page finds its files and Azkaban's root by relative links, whatever name and context path
   * it has been given. The address is relative, too: a proxy in front of Azkaban may have another.
   */
  private static void redirectIntoFolder(HttpServletRequest request, HttpServletResponse response) {
    String path = request.getRequestURI().replaceFirst(";.*", "");
    String name = path.substring(path.lastIndexOf('/') + 1);
    String query = request.getQueryString();
    response.setStatus(HttpServletResponse.SC_FOUND);
    response.setHeader("Location", "./" + name + "/" + (query == null ? "" : "?" + query));
  }

  /**
   * The browser keeps the file and asks each time whether it still holds: an upgrade shows at once.
   */
  private static void send(Asset asset, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("ETag", asset.tag);
    if (asset.tag.equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    byte[] content = asset.content();
    response.setContentType(asset.type);
    response.setContentLength(content.length);
    response.getOutputStream().write(content);
  }
}
