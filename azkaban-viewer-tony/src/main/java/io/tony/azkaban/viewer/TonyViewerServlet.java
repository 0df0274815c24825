package io.tony.azkaban.viewer;

import azkaban.utils.Props;
import azkaban.webapp.servlet.AbstractAzkabanServlet;
import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import java.io.IOException;
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

  private final PageFiles files;

  /**
   * As Azkaban makes it.
   *
   * @param properties of conf/plugin.properties; none is for the servlet
   * @throws IOException when the jar is not whole
   */
  public TonyViewerServlet(@SuppressWarnings("unused") Props properties) throws IOException {
    files = PageFiles.ofJob();
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    PageFiles.headers().forEach(response::setHeader);
    String path = request.getPathInfo();
    if (path == null) {
      redirectIntoFolder(request, response);
      return;
    }
    PageFile file = files.at(path);
    if (file == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    send(file, request, response);
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

  private static void send(PageFile file, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setHeader("ETag", file.tag());
    if (file.tag().equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    byte[] content = file.content();
    response.setContentType(file.type());
    response.setContentLength(content.length);
    response.getOutputStream().write(content);
  }
}
