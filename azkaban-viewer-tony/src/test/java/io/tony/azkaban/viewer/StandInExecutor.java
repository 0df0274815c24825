package io.tony.azkaban.viewer;

import azkaban.utils.FileIOUtils;
import azkaban.utils.FileIOUtils.LogData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.commons.lang.StringEscapeUtils;
import org.codehaus.jackson.map.ObjectMapper;

/**
 * Answers as Azkaban's {@code /executor} does about one job: files are cut by Azkaban's own
 * FileIOUtils, and escaped by the method that Azkaban 3 calls. Execution 17 is of a flow with the
 * embedded flow {@code nightly}, and the job is {@code nightly:train} where it has no other name.
 */
final class StandInExecutor extends HttpServlet {

  static final String PARAMETERS = "execid=17&jobid=nightly%3Atrain";

  /** What Azkaban does before it answers. */
  enum Login {
    VALID,
    /** What an ajax call is told. */
    EXPIRED,
    /** What a proxy or another Azkaban may show instead. */
    PAGE,
    /** Of somebody who may not read the project. */
    DENIED,
    /** Not a login: an executor that cannot be reached. */
    BROKEN
  }

  /** One attempt; {@code end} is -1 while it runs. */
  record Attempt(Path log, String status, long start, long end) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  private final boolean escapes;
  private volatile List<Attempt> attempts = List.of();
  volatile Login login = Login.VALID;

  /** The session in whose cookie the browser is; null for none. */
  volatile String session;

  /** Of the job, within {@code nightly}. */
  volatile String name = "train";

  /** Other jobs of {@code nightly}, which have not started. */
  volatile List<String> others = List.of();

  /** Of the flow; null for what follows from the job's. */
  volatile String flowStatus;

  /** Whether the flow is to start the job again when it fails. */
  volatile boolean retries;

  /**
   * @param escapes as Azkaban 3 does, and 2.5 does not
   */
  StandInExecutor(boolean escapes) {
    this.escapes = escapes;
  }

  void add(Attempt attempt) {
    List<Attempt> all = new ArrayList<>(attempts);
    all.add(attempt);
    attempts = all;
  }

  /** The latest attempt has this status from now on. */
  void become(String status, long end) {
    attempts = become(status, end, attempts);
  }

  /** The latest attempt ends with this status, and in the same moment the next one begins. */
  void retry(String status, Attempt next) {
    List<Attempt> all = become(status, next.start(), attempts);
    all.add(next);
    attempts = all;
  }

  private static List<Attempt> become(String status, long end, List<Attempt> attempts) {
    List<Attempt> all = new ArrayList<>(attempts);
    Attempt last = all.remove(all.size() - 1);
    all.add(new Attempt(last.log(), status, last.start(), end));
    return all;
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (login == Login.BROKEN) {
      response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
      return;
    }
    if (login == Login.PAGE) {
      response.setContentType("text/html");
      response.getWriter().write("<html><body>Log in</body></html>");
      return;
    }
    if (session != null) {
      response.addCookie(new Cookie("azkaban.browser.session.id", session));
    }
    response.setContentType("application/json");
    JSON.writeValue(
        response.getOutputStream(),
        switch (login) {
          case EXPIRED -> Map.of("error", "session");
          case DENIED -> Map.of("error", "Permission denied. Need READ access.");
          case VALID, PAGE, BROKEN -> answer(request);
        });
  }

  private Map<String, Object> answer(HttpServletRequest request) throws IOException {
    if (!"17".equals(request.getParameter("execid"))) {
      return Map.of("error", "Cannot find execution '" + request.getParameter("execid") + "'");
    }
    return switch (request.getParameter("ajax")) {
      case "fetchexecflow" -> flow();
      case "fetchexecflowupdate" -> {
        Long.parseLong(request.getParameter("lastUpdateTime"));
        yield flow();
      }
      case "fetchExecJobLogs" -> log(request);
      default -> Map.of("error", "not here");
    };
  }

  private Map<String, Object> flow() {
    List<Attempt> attempts = this.attempts;
    Attempt last = attempts.get(attempts.size() - 1);
    List<Map<String, Object>> past = new ArrayList<>();
    for (int i = 0; i < attempts.size() - 1; i++) {
      Map<String, Object> attempt = state(attempts.get(i));
      attempt.put("attempt", i);
      past.add(attempt);
    }
    Map<String, Object> job = state(last);
    job.put("id", name);
    job.put("attempt", past.size());
    job.put("updateTime", last.start() + 1);
    if (!past.isEmpty()) {
      job.put("pastAttempts", past);
    }
    Map<String, Object> prepare = Map.of("id", "prepare", "status", "SUCCEEDED", "attempt", 0);
    List<Map<String, Object>> embedded = new ArrayList<>(List.of(prepare));
    others.forEach(id -> embedded.add(Map.of("id", id, "status", "READY", "attempt", 0)));
    embedded.add(job);
    String status = retries || last.end() < 0 ? "RUNNING" : last.status();
    return Map.of(
        "id",
        "flow",
        "flowId",
        "flow",
        "execid",
        17,
        "project",
        "digits",
        "projectId",
        3,
        "status",
        flowStatus == null ? status : flowStatus,
        "nodes",
        List.of(prepare, Map.of("id", "nightly", "nodes", embedded)));
  }

  private static Map<String, Object> state(Attempt attempt) {
    Map<String, Object> state = new HashMap<>();
    state.put("status", attempt.status());
    state.put("startTime", attempt.start());
    state.put("endTime", attempt.end());
    return state;
  }

  private Map<String, Object> log(HttpServletRequest request) throws IOException {
    if (!("nightly:" + name).equals(request.getParameter("jobId"))) {
      return Map.of("error", "Job " + request.getParameter("jobId") + " doesn't exist in 17");
    }
    LogData data =
        FileIOUtils.readUtf8File(
            attempts.get(Integer.parseInt(request.getParameter("attempt"))).log().toFile(),
            Integer.parseInt(request.getParameter("offset")),
            Integer.parseInt(request.getParameter("length")));
    String text = escapes ? StringEscapeUtils.escapeHtml(data.getData()) : data.getData();
    return Map.of("offset", data.getOffset(), "length", data.getLength(), "data", text);
  }
}
