package io.tony.azkaban.viewer;

import java.io.IOException;
import java.util.List;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Answers as an ApplicationMaster does about its job, a MiB at a time; it has nothing more to tell
 * after these events.
 */
final class StandInMaster extends HttpServlet {

  private static final int PIECE = 1024 * 1024;

  private volatile List<String> events = List.of();

  void tell(List<String> all) {
    events = List.copyOf(all);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("application/json; charset=utf-8");
    response.getWriter().write(answer(request));
  }

  private String answer(HttpServletRequest request) {
    String number = request.getParameter("from");
    if (number == null) {
      return "{\"application\":\"" + BrowserTest.APPLICATION + "\",\"name\":\"train\",\"path\":[]}";
    }
    List<String> events = this.events;
    int from = Integer.parseInt(number);
    int end = from;
    for (int taken = 0; end < events.size() && taken < PIECE; end++) {
      taken += events.get(end).length();
    }
    return "{\"from\":%d,\"finished\":false,\"pause\":%d,\"events\":[%s]}"
        .formatted(
            from, end < events.size() ? 0 : 200, String.join(",", events.subList(from, end)));
  }
}
