package io.tony.am.yarn;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * The page that YARN's link leads to while the job has a TensorBoard: it sends the browser on to
 * it. The link does not lead there itself, because it goes through YARN's proxy, which passes no
 * POST, by which TensorBoard asks for the points of its charts. Nor does the page redirect by its
 * status: the proxy would follow that, and not the browser. It tells everybody the URL, and nothing
 * else.
 */
final class TensorBoardPage implements AutoCloseable {
  private final HttpServer server;
  private final String host;
  private volatile String target = "";

  private TensorBoardPage(HttpServer server, String host) {
    this.server = server;
    this.host = host;
    server.createContext("/", this::answer);
  }

  /** Serves on a free port of this host. */
  static TensorBoardPage serve(String host) throws IOException {
    TensorBoardPage page =
        new TensorBoardPage(HttpServer.create(new InetSocketAddress(host, 0), 0), host);
    page.server.start();
    return page;
  }

  /** Where the browser is sent to from now on. */
  void leadTo(String tensorBoardUrl) {
    target = tensorBoardUrl;
  }

  String url() {
    return "http://" + host + ":" + server.getAddress().getPort() + "/";
  }

  private void answer(HttpExchange exchange) throws IOException {
    String url = target.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    byte[] page =
        ("<!DOCTYPE html><html lang=\"en\"><head><title>TensorBoard</title>"
                + "<meta http-equiv=\"refresh\" content=\"0; url="
                + url
                + "\"></head><body><a href=\""
                + url
                + "\">TensorBoard</a></body></html>\n")
            .getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.sendResponseHeaders(200, page.length);
      exchange.getResponseBody().write(page);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
