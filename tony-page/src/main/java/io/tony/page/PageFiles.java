package io.tony.page;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The static files of one web page. They are equal for all users and contain nothing secret, so
 * they can be served without a login. The page finds its job in its own address.
 */
public final class PageFiles {

  private static final String PAGE = "/";
  private static final String HTML = "text/html; charset=utf-8";

  private final Map<String, PageFile> files;

  private PageFiles(Map<String, PageFile> files) {
    this.files = Collections.unmodifiableMap(files);
  }

  /**
   * Returns the files of the page of a job.
   *
   * @throws IOException if a file is missing in the jar
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
   * Returns the files of the pages of the history service: the lists of jobs and, at {@code
   * /compare}, the comparison of a job's runs.
   *
   * @throws IOException if a file is missing in the jar
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
   * Returns a file of the page; null if there is none at this path.
   *
   * @param path relative to the page's own folder, with a leading slash; {@code /} is the page
   *     itself
   */
  public @Nullable PageFile at(String path) {
    return files.get(path);
  }

  /**
   * Returns the HTTP headers for each answer with a file. With them, the browser loads no files
   * from other servers and runs no inline scripts or styles. It caches the files but revalidates
   * them each time ({@link PageFile#tag}), so that a new version of TonY is used immediately.
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
