package io.tony.page;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files of a page: the same for everybody, with nothing in them that a login would have to
 * guard. What it is about, the page finds out by its own address.
 */
public final class PageFiles {

  private static final String PAGE = "/";
  private static final String HTML = "text/html; charset=utf-8";

  private final Map<String, PageFile> files;

  private PageFiles(Map<String, PageFile> files) {
    this.files = Collections.unmodifiableMap(files);
  }

  /**
   * The page of a job.
   *
   * @throws IOException when the jar is not whole
   */
  public static PageFiles ofJob() throws IOException {
    return of(
        "index",
        "azkaban",
        "chart",
        "curves",
        "dom",
        "downsampling",
        "follower",
        "gantt",
        "goodput",
        "hangs",
        "historylog",
        "job",
        "jobserver",
        "log",
        "logview",
        "metrics",
        "options",
        "page",
        "pause",
        "pictures",
        "reasons",
        "requests",
        "source",
        "tasks",
        "taskstates",
        "text");
  }

  /**
   * The lists of jobs that the history has, and at {@code /compare} the runs of a step.
   *
   * @throws IOException when the jar is not whole
   */
  public static PageFiles ofLists() throws IOException {
    PageFiles lists =
        of(
            "history",
            "chart",
            "compare",
            "dom",
            "history",
            "pause",
            "requests",
            "runs",
            "source",
            "text");
    Map<String, PageFile> files = new LinkedHashMap<>(lists.files);
    files.put("/compare", PageFile.read("compare.html", HTML));
    return new PageFiles(files);
  }

  private static PageFiles of(String page, String... scripts) throws IOException {
    Map<String, PageFile> files = new LinkedHashMap<>();
    files.put(PAGE, PageFile.read(page + ".html", HTML));
    files.put("/viewer.css", PageFile.read("viewer.css", "text/css; charset=utf-8"));
    for (String script : scripts) {
      String name = script + ".js";
      files.put("/" + name, PageFile.read(name, "text/javascript; charset=utf-8"));
    }
    return new PageFiles(files);
  }

  /**
   * The file at a path below the page's own folder, such as {@code /}; null where there is none.
   */
  public PageFile at(String path) {
    return files.get(path);
  }

  /**
   * What each answer tells the browser: to load nothing but these files, and nothing that is
   * written in line. The browser keeps a file and asks each time whether it still holds ({@link
   * PageFile#tag}): an upgrade shows at once.
   */
  public static Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(
        "Content-Security-Policy",
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
            + " frame-ancestors 'self'");
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "same-origin");
    headers.put("Cache-Control", "no-cache");
    return headers;
  }
}
