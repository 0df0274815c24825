package io.tony.azkaban.viewer;

import java.util.regex.Pattern;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * The parameters of a reader's request for events: an attempt of a job in Azkaban, and the number
 * of the first event. None of them is the address of a server, so a reader cannot choose to which
 * server a request goes.
 */
final class EventsQuery {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final int MAX_NAME_CHARS = 1_000;

  private final int execution;
  private final String job;
  private final int attempt;
  private final int from;

  private EventsQuery(int execution, String job, int attempt, int from) {
    this.execution = execution;
    this.job = job;
    this.attempt = attempt;
    this.from = from;
  }

  static EventsQuery of(HttpServletRequest request) throws NoEventsException {
    String job = request.getParameter("jobid");
    if (job == null || job.isEmpty() || job.length() > MAX_NAME_CHARS) {
      throw new NoEventsException(HttpServletResponse.SC_BAD_REQUEST, "jobid is the name of a job");
    }
    return new EventsQuery(
        number(request, "execid"), job, number(request, "attempt"), number(request, "from"));
  }

  private static int number(HttpServletRequest request, String name) throws NoEventsException {
    String text = request.getParameter(name);
    if (text == null || !NUMBER.matcher(text).matches()) {
      throw new NoEventsException(HttpServletResponse.SC_BAD_REQUEST, name + " is a number");
    }
    return Integer.parseInt(text);
  }

  /** Returns the id of the flow's execution in Azkaban. */
  int execution() {
    return execution;
  }

  /**
   * Returns the job's name, after the names of the embedded flows that contain the job: {@code
   * flow:job}.
   */
  String job() {
    return job;
  }

  /** Returns the number of the job's attempt, from 0. */
  int attempt() {
    return attempt;
  }

  /** Returns the number of the first event to be served. */
  int from() {
    return from;
  }
}
