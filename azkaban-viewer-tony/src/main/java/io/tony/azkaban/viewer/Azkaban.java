package io.tony.azkaban.viewer;

import azkaban.user.User;
import java.io.IOException;
import java.time.Instant;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.servlet.RequestDispatcher;
import javax.servlet.ServletContext;
import javax.servlet.ServletException;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;
import javax.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Queries Azkaban's own {@code /executor} servlet inside the web server, with the reader's HTTP
 * request. So Azkaban itself checks the reader's session and permissions, as it does for the job's
 * log.
 */
final class Azkaban {
  private static final String SESSION_COOKIE = "azkaban.browser.session.id";

  /**
   * Name of the servlet context attribute that holds Azkaban's application object. The object's
   * class has different packages in Azkaban 2.5 and later versions, so it is used by reflection.
   */
  private static final String APPLICATION = "azkaban_app";

  private static final int MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

  private final ServletContext context;

  Azkaban(ServletContext context) {
    this.context = context;
  }

  /**
   * Returns Azkaban's data about the attempt of a job that the query names.
   *
   * @throws NoEventsException if Azkaban requires a login or denies access, if there is no such
   *     attempt, or if the attempt has not begun
   */
  StepAttempt step(
      EventsQuery eventsQuery, HttpServletRequest request, HttpServletResponse response)
      throws NoEventsException, IOException {
    JsonObject flow = flow(eventsQuery, request, response);
    JsonObject job = flow;
    for (String name : eventsQuery.job().split(":", -1)) {
      job = child(job, "nodes", "id", name, eventsQuery);
    }
    JsonObject attempt =
        eventsQuery.attempt() == Math.max(0, job.number("attempt"))
            ? job
            : child(
                job,
                "pastAttempts",
                "attempt",
                Integer.toString(eventsQuery.attempt()),
                eventsQuery);
    long begin = attempt.number("startTime");
    if (begin <= 0) {
      throw new NoEventsException(HttpServletResponse.SC_FORBIDDEN, "This attempt has not begun.");
    }
    long end = attempt.number("endTime");
    return new StepAttempt(
        eventsQuery,
        flow.text("project"),
        flow.text("projectId"),
        flow.has("flowId") ? flow.text("flowId") : flow.text("id"),
        Instant.ofEpochMilli(begin),
        end > 0 ? Instant.ofEpochMilli(end) : null);
  }

  private static JsonObject child(
      JsonObject parent, String list, String key, String value, EventsQuery eventsQuery)
      throws NoEventsException {
    for (JsonObject candidate : parent.objects(list)) {
      if (candidate.text(key).equals(value)) {
        return candidate;
      }
    }
    throw new NoEventsException(
        HttpServletResponse.SC_FORBIDDEN,
        "Execution "
            + eventsQuery.execution()
            + " has no such attempt of "
            + eventsQuery.job()
            + ".");
  }

  private JsonObject flow(
      EventsQuery eventsQuery, HttpServletRequest request, HttpServletResponse response)
      throws NoEventsException, IOException {
    CapturedResponse answer = new CapturedResponse(response, MAX_RESPONSE_BYTES);
    RequestDispatcher executor = context.getRequestDispatcher("/executor");
    if (executor == null) {
      throw new NoEventsException(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE, "Azkaban does not answer.");
    }
    try {
      executor.include(new ExecutionRequest(request, eventsQuery), answer);
    } catch (ServletException e) {
      throw new IOException("Azkaban does not answer", e);
    }
    if (answer.status() != HttpServletResponse.SC_OK) {
      throw new NoEventsException(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "Azkaban answered with HTTP status " + answer.status() + ".");
    }
    JsonObject flow;
    try {
      flow = JsonObject.read(answer.content());
    } catch (IOException e) {
      // The answer is not JSON but Azkaban's login page.
      throw new NoEventsException(HttpServletResponse.SC_UNAUTHORIZED, "Azkaban wants a login.");
    }
    if (flow.text("error").equals("session")) {
      throw new NoEventsException(HttpServletResponse.SC_UNAUTHORIZED, "The session is over.");
    }
    if (flow.has("error")) {
      throw new NoEventsException(HttpServletResponse.SC_FORBIDDEN, flow.text("error"));
    }
    if (flow.number("execid") != eventsQuery.execution() || !flow.has("project")) {
      throw new NoEventsException(
          HttpServletResponse.SC_FORBIDDEN, "Azkaban did not say whose execution it is.");
    }
    return flow;
  }

  /**
   * Returns the name of the reader, who is the user of the request's session. To be called only
   * after {@link #step} has granted access.
   *
   * @throws NoEventsException if the name cannot be determined
   */
  String user(HttpServletRequest request) throws NoEventsException {
    Cookie[] cookies = request.getCookies();
    List<String> sessionIds =
        Stream.of(cookies == null ? new Cookie[0] : cookies)
            .filter(cookie -> cookie.getName().equals(SESSION_COOKIE))
            .map(Cookie::getValue)
            .distinct()
            .collect(Collectors.toList());
    // If the request has several session cookies, it is unknown which one Azkaban used.
    String session = sessionIds.size() == 1 ? sessionIds.get(0) : "";
    try {
      Object sessions = call(context.getAttribute(APPLICATION), "getSessionCache");
      Object found =
          sessions.getClass().getMethod("getSession", String.class).invoke(sessions, session);
      if (found != null) {
        return ((User) call(found, "getUser")).getUserId();
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      context.log(
          "This Azkaban does not name the user of a request; the history is shown to no one", e);
    }
    throw new NoEventsException(
        HttpServletResponse.SC_UNAUTHORIZED, "Azkaban does not name the user of this request.");
  }

  private static Object call(Object object, String getter) throws ReflectiveOperationException {
    return object.getClass().getMethod(getter).invoke(object);
  }

  /** The reader's own request, but with the parameters of a query for an execution's jobs. */
  private static final class ExecutionRequest extends HttpServletRequestWrapper {
    private final Map<String, String[]> parameters = new LinkedHashMap<>();

    ExecutionRequest(HttpServletRequest request, EventsQuery eventsQuery) {
      super(request);
      parameters.put("ajax", new String[] {"fetchexecflow"});
      parameters.put("execid", new String[] {Integer.toString(eventsQuery.execution())});
    }

    @Override
    public @Nullable String getParameter(String name) {
      String[] values = parameters.get(name);
      return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
      String[] values = parameters.get(name);
      return values == null ? null : values.clone();
    }

    @Override
    public Map<String, String[]> getParameterMap() {
      return Collections.unmodifiableMap(parameters);
    }

    @Override
    public Enumeration<String> getParameterNames() {
      return Collections.enumeration(parameters.keySet());
    }
  }
}
