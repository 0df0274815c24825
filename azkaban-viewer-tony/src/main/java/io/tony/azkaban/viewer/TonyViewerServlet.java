package io.tony.azkaban.viewer;

import azkaban.utils.Props;
import azkaban.webapp.servlet.AbstractAzkabanServlet;
import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import javax.servlet.ServletConfig;
import javax.servlet.ServletContext;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Serves the TonY tab of a job's page in Azkaban: static files that are equal for all users. The
 * page finds its job in its own address ({@code ?execid=…&jobid=…}) and reads the job's data from
 * Azkaban's {@code /executor}, with the reader's session and permissions. The files are served
 * without a login ({@link AbstractAzkabanServlet} requires none), because they contain nothing
 * secret.
 *
 * <p>If Azkaban no longer has a job's log, the page requests {@code recalled}, which is the job's
 * events from TonY's history service ({@code tony.history.url} in conf/plugin.properties). Azkaban
 * is first asked whether the reader may see the execution.
 *
 * <p>Runs in the web servers of Azkaban 2.5, 3.x and 4.x. Only that of 2.5.0 is on Maven Central,
 * and the tests run the servlet in it. To work in all versions, the servlet uses only the name and
 * the constructor of Azkaban's base class; the types of {@code newPage} and {@code getApplication}
 * differ between versions. The servlet API is 2.5, as in Azkaban's Jetty 6.
 */
public final class TonyViewerServlet extends AbstractAzkabanServlet {

  private static final String HISTORY_URL = "tony.history.url";

  /** The answer if the administrator has not set the address of a history service. */
  private static final byte[] EMPTY_ANSWER = {'{', '}'};

  private final PageFiles files;
  private final @Nullable HistoryFallback historyFallback; // null without a history service
  private @Nullable ServletContext context; // null before init

  /**
   * The constructor that Azkaban calls.
   *
   * @param properties from conf/plugin.properties
   * @throws IOException if the jar does not contain all files of the page
   */
  public TonyViewerServlet(Props properties) throws IOException {
    files = PageFiles.ofJob();
    String history = properties.getString(HISTORY_URL, "").trim();
    historyFallback =
        history.isEmpty()
            ? null
            : new HistoryFallback(
                new HistoryService(
                    history,
                    new PlainGet(
                        PlainGet.HttpTimeouts.DEFAULT, HistoryFallback.MAX_RESPONSE_BYTES)));
  }

  /**
   * Stores the servlet context, because {@link #getServletContext} does not work here: Azkaban's
   * base class does not pass on the configuration.
   */
  @Override
  public void init(ServletConfig config) throws ServletException {
    super.init(config);
    context = config.getServletContext();
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
    if (path.equals("/recalled")) {
      answerHistory(request, response);
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
   * Redirects from {@code /tony?execid=…}, to which Azkaban's page links, to {@code
   * /tony/?execid=…}. So the page finds its files and Azkaban's root by relative links, for any
   * name of the tab and any context path. The redirect is relative, too, because a proxy in front
   * of Azkaban may have another address.
   */
  private static void redirectIntoFolder(HttpServletRequest request, HttpServletResponse response) {
    String path = request.getRequestURI().replaceFirst(";.*", "");
    String name = path.substring(path.lastIndexOf('/') + 1);
    String query = request.getQueryString();
    response.setStatus(HttpServletResponse.SC_FOUND);
    response.setHeader("Location", "./" + name + "/" + (query == null ? "" : "?" + query));
  }

  private void answerHistory(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setHeader("Cache-Control", "no-store");
    byte[] answer;
    try {
      answer = historyFallback == null ? EMPTY_ANSWER : fetch(historyFallback, request, response);
      response.setContentType("application/json; charset=utf-8");
    } catch (NoEventsException e) {
      answer = Objects.requireNonNull(e.getMessage()).getBytes(StandardCharsets.UTF_8);
      response.setStatus(e.status());
      response.setContentType("text/plain; charset=utf-8");
    }
    response.setContentLength(answer.length);
    response.getOutputStream().write(answer);
  }

  private byte[] fetch(
      HistoryFallback history, HttpServletRequest request, HttpServletResponse response)
      throws NoEventsException, IOException {
    Azkaban azkaban = new Azkaban(Objects.requireNonNull(context));
    EventsQuery eventsQuery = EventsQuery.of(request);
    StepAttempt step = azkaban.step(eventsQuery, request, response);
    return history.fetch(step, eventsQuery.from(), azkaban.user(request));
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
