package io.tony.history.web;

import io.tony.eventlog.UnreadableLogException;
import io.tony.history.Comparison;
import io.tony.history.ComparisonJson;
import io.tony.history.FlowGoodput;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.history.SummaryJson;
import io.tony.logs.LogRequest;
import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.http.HtmlQuoting;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the list of jobs at {@code /}, the page of each job at {@code /jobs/APPLICATION@USER/},
 * and the data of these pages as JSON ({@code docs/history.md}). Read-only.
 */
public final class HistoryServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(HistoryServlet.class);

  /**
   * Name of the servlet context attribute that contains the {@link HistoryApi}; {@link
   * HistoryServer} sets it.
   */
  static final String HISTORY = "tony.history";

  private static final Pattern JOB =
      Pattern.compile("/jobs/(application_\\d{1,19}_\\d{1,10})(?:@([^/]+))?(/.*)?");
  private static final String JSON = "application/json; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String HTML = "text/html; charset=utf-8";
  private static final int MAX_JOBS = 1_000;
  private static final int MAX_RUNS = 200;
  private static final int MAX_ATTEMPT = 99_999;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    PageFiles.headers().forEach(response::setHeader);
    HistoryApi history = (HistoryApi) getServletContext().getAttribute(HISTORY);
    try {
      String path = request.getPathInfo() == null ? "/" : request.getPathInfo();
      Matcher job = JOB.matcher(path);
      if (job.matches()) {
        answerJob(history, job, request, response);
      } else if (path.equals("/jobs.json")) {
        send(response, JSON, jobs(history, request));
      } else if (path.equals("/compare.json")) {
        send(response, JSON, comparison(history, request));
      } else if (path.equals("/goodput.json")) {
        send(response, JSON, goodput(history, request));
      } else {
        sendFile(history.listFiles(), path, request, response);
      }
    } catch (IllegalArgumentException e) {
      refuse(response, HttpServletResponse.SC_BAD_REQUEST, e);
    } catch (UnreadableLogException e) {
      // The page shows the message of this exception.
      refuse(response, HttpServletResponse.SC_FORBIDDEN, e);
    } catch (AccessControlException e) {
      LOG.info("{} was asked for, and may not be read: {}", request.getPathInfo(), e.getMessage());
      refuse(
          response,
          HttpServletResponse.SC_FORBIDDEN,
          "the history may not read the log of this job");
    } catch (FileNotFoundException e) {
      refuse(response, HttpServletResponse.SC_NOT_FOUND, "the log of this job is gone");
    } catch (OpenLogs.BusyException e) {
      refuse(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, e);
    } catch (IOException e) {
      if (response.isCommitted()) {
        // A response that was begun can fail only because the visitor disconnected, so nobody would
        // see an error message.
        throw e;
      }
      LOG.warn("{} cannot be answered now: {}", request.getPathInfo(), e.toString());
      refuse(
          response,
          HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
          "the history cannot read the log of this job now; its own log says why");
    }
  }

  // ---- Lists ----

  private static String jobs(HistoryApi history, HttpServletRequest request) {
    return history.jobs(
        filter(request).and(history.visibleJobs().mayBeSeenBy(request)),
        number(request, "offset", 0, Integer.MAX_VALUE),
        number(request, "limit", 50, MAX_JOBS));
  }

  private static String comparison(HistoryApi history, HttpServletRequest request) {
    List<JobSummary> newest =
        history
            .index()
            .boundedPage(
                filter(request).and(history.visibleJobs().mayBeSeenBy(request)),
                0,
                number(request, "last", 30, MAX_RUNS))
            .jobs();
    return ComparisonJson.write(Comparison.of(newest));
  }

  private static String goodput(HistoryApi history, HttpServletRequest request) {
    FlowGoodput goodput =
        FlowGoodput.of(
            history.index(), filter(request).and(history.visibleJobs().mayBeSeenBy(request)));
    return SummaryJson.object(
        json -> {
          json.writeNumberField("jobs", goodput.jobs());
          json.writeNumberField("lost", goodput.lost());
          json.writeNumberField("unknown", goodput.unknown());
          json.writeNumberField("millis", goodput.time().toMillis());
          if (goodput.share() != null) {
            json.writeNumberField("goodput", goodput.share());
          }
        });
  }

  private static JobFilter filter(HttpServletRequest request) {
    JobFilter filter =
        JobFilter.ALL
            .withUser(text(request, "user"))
            .ofStep(text(request, "project"), text(request, "flow"), text(request, "job"))
            .ofExecution(text(request, "execution"), number(request, "azkabanAttempt", MAX_ATTEMPT))
            .between(time(request, "since"), time(request, "until"))
            .withText(text(request, "text"));
    String status = text(request, "status");
    return status.isEmpty() ? filter : filter.withStatus(status(status));
  }

  private static String text(HttpServletRequest request, String name) {
    // Hadoop's server has escaped the parameters for HTML; undo that, because these values are
    // never written to HTML.
    String value = HtmlQuoting.unquoteHtmlChars(request.getParameter(name));
    return value == null ? "" : value.strip();
  }

  private static Status status(String text) {
    try {
      return Status.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "status is one of " + List.of(Status.values()) + ", not " + text, e);
    }
  }

  private static @Nullable Instant time(HttpServletRequest request, String name) {
    String text = text(request, name);
    try {
      return text.isEmpty() ? null : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          name + " is a time such as 2026-11-23T00:00:00Z, not " + text, e);
    }
  }

  private static int number(HttpServletRequest request, String name, int defaultValue, int max) {
    Integer number = number(request, name, max);
    return number == null ? defaultValue : number;
  }

  private static @Nullable Integer number(HttpServletRequest request, String name, int max) {
    String text = text(request, name);
    if (text.isEmpty()) {
      return null;
    }
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) > max) {
      throw new IllegalArgumentException(name + " is a number from 0 to " + max + ", not " + text);
    }
    return Integer.parseInt(text);
  }

  // ---- One job ----

  private static void answerJob(
      HistoryApi history, Matcher path, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String application = path.group(1);
    String rest = path.group(3);
    if (rest == null) {
      // The page uses relative URLs, so its own URL must end with a slash.
      response.setStatus(HttpServletResponse.SC_FOUND);
      response.setHeader("Location", request.getRequestURI() + "/");
      return;
    }
    String owner = path.group(2);
    List<HistoryIndex.Log> logs =
        history.find(
            application,
            history
                .visibleJobs()
                .mayBeSeenBy(request)
                .and(job -> owner == null || job.user().equals(owner)));
    if (logs.isEmpty()) {
      // Visitors who may not see a job must not learn that the job exists.
      response.setStatus(HttpServletResponse.SC_NOT_FOUND);
      String why = "the history has no " + application + " that you may see";
      send(response, rest.equals("/") ? HTML : TEXT, rest.equals("/") ? notFoundPage(why) : why);
    } else if (logs.size() > 1) {
      refuse(response, HttpServletResponse.SC_FORBIDDEN, ambiguousMessage(application, logs));
    } else {
      answerJob(history, logs.get(0), rest, request, response);
    }
  }

  /**
   * Returns a message for display that lists the pages of all logs with this ID. There may be
   * several, because users can create folders of any name in their own history folders.
   */
  private static String ambiguousMessage(String application, List<HistoryIndex.Log> logs) {
    return "there is more than one log of "
        + application
        + "; each has a page: "
        + logs.stream()
            .map(log -> "jobs/" + application + "@" + log.job().user() + "/")
            .distinct()
            .collect(Collectors.joining(", "));
  }

  private static void answerJob(
      HistoryApi history,
      HistoryIndex.Log log,
      String rest,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    if (rest.equals("/job")) {
      send(response, JSON, history.jobInfo(log.job()));
    } else if (rest.equals("/events")) {
      send(response, JSON, history.events(log, number(request, "from", 0, Integer.MAX_VALUE)));
    } else if (rest.equals("/log")) {
      LogRequest logRequest = LogRequest.of(name -> text(request, name));
      send(response, JSON, history.taskLog(log, logRequest));
    } else {
      sendFile(history.pageFiles(), rest, request, response);
    }
  }

  // ---- Responses ----

  private static void sendFile(
      PageFiles files, String path, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    PageFile file = files.at(path);
    if (file == null) {
      refuse(response, HttpServletResponse.SC_NOT_FOUND, "there is no such page");
      return;
    }
    response.setHeader("ETag", file.tag());
    if (file.tag().equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    send(response, file.type(), file.content());
  }

  private static void send(HttpServletResponse response, String type, String text)
      throws IOException {
    response.setHeader("Cache-Control", "no-store");
    send(response, type, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpServletResponse response, String type, byte[] content)
      throws IOException {
    response.setContentType(type);
    response.setContentLength(content.length);
    response.getOutputStream().write(content);
  }

  /** Sends the message of {@code why}. */
  private static void refuse(HttpServletResponse response, int status, Exception why)
      throws IOException {
    refuse(response, status, Objects.requireNonNull(why.getMessage()));
  }

  /**
   * Sends a plain text. HTML would be unsafe, because {@code why} may contain text of another user.
   */
  private static void refuse(HttpServletResponse response, int status, String why)
      throws IOException {
    response.setStatus(status);
    send(response, TEXT, why);
  }

  /**
   * Returns an HTML page that shows {@code why}, which is not escaped and must not contain markup.
   */
  private static String notFoundPage(String why) {
    return """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>No such job</title>
        <link rel="stylesheet" href="../../viewer.css"></head>
        <body><main><h1>No such job</h1><p>%s.</p><p><a href="../../">All jobs</a></p></main></body>
        </html>
        """
        .formatted(why.replaceFirst("^the", "The"));
  }
}
