package io.tony.azkaban.viewer;

import com.fasterxml.jackson.databind.node.TextNode;
import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Answers as an ApplicationMaster does, as the history, or as what YARN shows where neither is. */
final class StandInPage extends HttpServlet {
  /** Bytes of a file in one answer. */
  static final int PIECE = 64 * 1024;

  private final PageFiles files = read();
  private final List<String> lines = new ArrayList<>();
  private final Map<String, String> written = new HashMap<>(); // by container and file
  private int questions; // for what is written
  private int teller = 1;
  private int told = Integer.MAX_VALUE; // how many lines
  private boolean gone;
  private int refusal; // an HTTP status; 0 for none
  private String why;
  private boolean busy;
  private boolean holds; // those who ask for what is written
  private String history = ""; // its page of the job; null where this is the history itself
  private String ending = "\"finished\":false";
  private String name = "nightly";

  private static PageFiles read() {
    try {
      return PageFiles.ofJob();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  void add(String type, String details) {
    add(type, "worker:0", details);
  }

  synchronized void add(String type, String task, String details) {
    addAt("2026-11-23T12:00:0" + lines.size() % 10 + "Z", type, task, details);
  }

  synchronized void addAt(String time, String type, String task, String details) {
    lines.add(
        "{\"v\":1,\"time\":\""
            + time
            + "\",\"type\":\""
            + type
            + "\",\"session\":0"
            + (type.startsWith("TASK_") ? ",\"task\":\"" + task + "\"" : "")
            + ",\"details\":{"
            + details
            + "}}");
  }

  synchronized void write(String container, String file, String text) {
    written.merge(container + "/" + file, text, String::concat);
  }

  synchronized int questions() {
    return questions;
  }

  /** The next one knows only what was written. */
  synchronized void lose(int lastLines) {
    teller++;
    lines.subList(lines.size() - lastLines, lines.size()).clear();
  }

  /** The rest is told later. */
  synchronized void tell(int firstLines) {
    told = firstLines;
  }

  synchronized void gone(boolean now) {
    gone = now;
  }

  synchronized void refuse(int status, String text) {
    refusal = status;
    why = text;
  }

  /**
   * Where an ApplicationMaster says that the history has the job; null where this is the history.
   */
  synchronized void history(String address) {
    history = address;
  }

  /** It is complete, and the server has these words for an end that no event tells. */
  synchronized void end(String status, String message) {
    ending =
        "\"finished\":true,\"status\":\"%s\",\"message\":%s"
            .formatted(status, new TextNode(message));
  }

  synchronized void name(String text) {
    name = text;
  }

  synchronized void busy(boolean now) {
    busy = now;
  }

  synchronized void hold(boolean now) {
    holds = now;
    notifyAll();
  }

  private void await() {
    try {
      while (holds) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  protected synchronized void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    PageFiles.headers().forEach(response::setHeader);
    PageFile file = files.at(request.getPathInfo());
    if (file != null) {
      response.setContentType(file.type());
      response.getOutputStream().write(file.content());
    } else if (gone) {
      response.setContentType("text/html");
      response.getWriter().write("<html>YARN's own page</html>");
    } else if (refusal != 0) {
      response.setStatus(refusal);
      response.setContentType(why.startsWith("<html>") ? "text/html" : "text/plain");
      response.getWriter().write(why);
    } else {
      response.setContentType("application/json; charset=utf-8");
      response.getWriter().write(answer(request));
    }
  }

  private String answer(HttpServletRequest request) {
    if (request.getPathInfo().equals("/job")) {
      return "{\"application\":\"application_1_1\",\"name\":"
          + new TextNode(name)
          + ",\"queue\":\"default\","
          + (history == null ? "" : "\"history\":\"" + history + "\",")
          + "\"path\":[{\"label\":\"YARN application\",\"href\":\"/cluster\"}]}";
    }
    if (request.getPathInfo().equals("/log")) {
      questions++;
      await();
      return busy ? "{\"pause\":100}" : log(request);
    }
    List<String> events = lines.subList(0, Math.min(told, lines.size()));
    int from = Math.min(Integer.parseInt(request.getParameter("from")), events.size());
    return "{\"from\":"
        + from
        + ","
        + ending
        + ",\"pause\":100,\"teller\":"
        + teller
        + ",\"events\":["
        + String.join(",", events.subList(from, events.size()))
        + "]}";
  }

  /** Some of a file of ASCII, where the event has to be the one that names the container. */
  private String log(HttpServletRequest request) {
    String container = request.getParameter("container");
    String event = lines.get(Integer.parseInt(request.getParameter("event")));
    String text = written.get(container + "/" + request.getParameter("file"));
    if (!event.contains("\"" + container + "\"") || text == null) {
      return "{\"why\":\"there is <none> yet\",\"pause\":100}";
    }
    int from = Integer.parseInt(request.getParameter("from"));
    int begin = from < 0 ? Math.max(0, text.length() - PIECE) : from;
    int end = Math.min(text.length(), begin + PIECE);
    return "{\"begin\":%d,\"end\":%d,\"length\":%d,\"text\":%s,\"pause\":%d}"
        .formatted(
            begin,
            end,
            text.length(),
            new TextNode(text.substring(begin, end)),
            end < text.length() ? 0 : 100);
  }
}
