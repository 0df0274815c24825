package io.tony.azkaban.viewer;

import azkaban.utils.JSONUtils;
import io.tony.azkaban.viewer.PlainGet.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import javax.servlet.http.HttpServletResponse;

/**
 * Serves a job's events from TonY's history service if Azkaban no longer has the job's log. The
 * history finds the job by Azkaban's data about it, and serves only what the reader may see.
 */
final class HistoryFallback {
  /**
   * Maximum number of concurrent requests to the history service, because each one occupies a
   * thread of Azkaban's web server.
   */
  static final int MAX_CONCURRENT_REQUESTS = 4;

  /**
   * Maximum size of an answer. The history sends about 1 MiB of events at a time, but always all
   * events of one decision of the ApplicationMaster.
   */
  static final int MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

  /**
   * Maximum number of event logs in the history that are checked for one attempt. Normally an
   * attempt has one log; more are forged.
   */
  private static final int MAX_JOBS = 20;

  private static final Pattern APPLICATION = Pattern.compile("application_\\d{1,19}_\\d{1,10}");

  private final HistoryService history;
  private final Semaphore permits = new Semaphore(MAX_CONCURRENT_REQUESTS);

  HistoryFallback(HistoryService history) {
    this.history = history;
  }

  /**
   * Fetches events of an attempt. Returns a JSON object for the job's page. If the history has
   * events, the object has {@code job}, {@code link} and {@code told}, which is the history's
   * answer. Otherwise, it has {@code why}, a text with the reason, and {@code link}, a page of the
   * history that the reader's own browser may be able to open.
   *
   * @param from number of the first event
   * @param reader the user's name, for which the history checks permissions
   * @throws NoEventsException if there are too many concurrent requests, or if the history does not
   *     answer; the page then tries again
   */
  byte[] fetch(StepAttempt step, int from, String reader) throws NoEventsException {
    if (!permits.tryAcquire()) {
      throw new NoEventsException(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE, "Too many pages ask the history now.");
    }
    try {
      return find(step, from, reader);
    } catch (IOException e) {
      throw new NoEventsException(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "The history does not answer now ("
              + e.getMessage()
              + "). Look for this attempt at "
              + address(step)
              + " yourself.");
    } finally {
      permits.release();
    }
  }

  private byte[] find(StepAttempt step, int from, String reader) throws IOException {
    long deadlineNanos = history.newDeadlineNanos();
    Map<String, String> query = step.query();
    query.put("limit", Integer.toString(MAX_JOBS));
    Response list = history.get("jobs.json", query, reader, deadlineNanos);
    if (!list.isOk()) {
      return emptyAnswer(refusal(list), step);
    }
    JsonObject found = JsonObject.read(list.content());
    if (found.number("total") > MAX_JOBS) {
      // The list contains only the first MAX_JOBS logs, and the attempt's log may not be among
      // them.
      return emptyAnswer("The history has too many logs that say they are of this attempt.", step);
    }
    List<JsonObject> jobs = new ArrayList<>();
    for (JsonObject job : found.objects("jobs")) {
      if (step.matches(job) && APPLICATION.matcher(job.text("application")).matches()) {
        jobs.add(job);
      }
    }
    if (jobs.isEmpty()) {
      return emptyAnswer("The history has no such job that " + reader + " may see.", step);
    }
    if (jobs.size() > 1) {
      return emptyAnswer(
          "The history has more than one log that says it is of this attempt.", step);
    }
    JsonObject job = jobs.get(0);
    String page =
        "jobs/" + job.text("application") + "@" + HistoryService.encoded(job.text("user")) + "/";
    Response events =
        history.get(
            page + "events",
            Collections.singletonMap("from", Integer.toString(from)),
            reader,
            deadlineNanos);
    return events.isOk() ? eventsAnswer(job, page, events) : emptyAnswer(refusal(events), step);
  }

  private static String refusal(Response answer) {
    return answer.wantsLogin()
        ? "The history wants to know by itself who you are."
        : "The history answered with HTTP status " + answer.status() + ".";
  }

  private byte[] emptyAnswer(String why, StepAttempt step) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("why", why);
    answer.put("link", address(step));
    return JSONUtils.toJSON(answer).getBytes(StandardCharsets.UTF_8);
  }

  private String address(StepAttempt step) {
    return history.address("", step.query());
  }

  private byte[] eventsAnswer(JsonObject job, String page, Response events) {
    Map<String, Object> jobInfo = new LinkedHashMap<>();
    for (String name : new String[] {"application", "user", "queue"}) {
      jobInfo.put(name, job.text(name));
    }
    ByteArrayOutputStream answer = new ByteArrayOutputStream(events.content().length + 1024);
    write(answer, "{\"job\":" + JSONUtils.toJSON(jobInfo));
    write(answer, ",\"link\":" + JSONUtils.toJSON(history.address(page, Collections.emptyMap())));
    write(answer, ",\"told\":");
    answer.write(events.content(), 0, events.content().length);
    write(answer, "}");
    return answer.toByteArray();
  }

  private static void write(ByteArrayOutputStream to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    to.write(bytes, 0, bytes.length);
  }
}
