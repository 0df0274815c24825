package io.tony.am.page;

import io.tony.am.http.CappedServer;
import io.tony.am.http.ConnectionCaps;
import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.ListeningPorts;
import io.tony.am.http.RequestRejectedException;
import io.tony.model.PortRange;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * Page that forwards browsers to the job's TensorBoard. YARN's link leads to this page while a
 * TensorBoard runs. The link cannot lead to TensorBoard directly: YARN's proxy does not pass POST
 * requests, with which TensorBoard loads chart data. The page uses a refresh in HTML, because an
 * HTTP redirect would be followed by the proxy and not by the browser. Anyone may read the page; it
 * contains only the URL.
 */
final class TensorBoardPage implements AutoCloseable, HttpExchange.Service {
  /** Limits of the page's connections: enough for a few browsers, each through YARN's proxy. */
  private static final ConnectionCaps CAPS =
      new ConnectionCaps(100, 0, 1024 * 1024, Duration.ofSeconds(30));

  private static final Map<String, String> HEADERS =
      Map.of("Content-Type", "text/html; charset=utf-8", "Cache-Control", "no-store");

  private final CappedServer server;
  private final String host;
  private volatile String targetUrl = "";

  private TensorBoardPage(String host, PortRange ports) throws IOException {
    this.host = host;
    server =
        CappedServer.open(
            new ListeningPorts(host, ports, "the page that leads to TensorBoard"),
            "tensorboard-page",
            CAPS,
            connection -> new HttpExchange(connection, this));
  }

  /** Starts serving on a free port of this host. */
  static TensorBoardPage serve(String host, PortRange ports) throws IOException {
    TensorBoardPage page = new TensorBoardPage(host, ports);
    page.server.start();
    return page;
  }

  /** Sets the URL of the TensorBoard to which browsers are forwarded from now on. */
  void redirectTo(String tensorBoardUrl) {
    targetUrl = tensorBoardUrl;
  }

  String url() {
    return "http://" + host + ":" + server.port() + "/";
  }

  @Override
  public void check(HttpRequest head, long bodyLength) {
    if (bodyLength > 0) {
      throw new RequestRejectedException(413, "bytes of a body", "a page takes no body");
    }
  }

  @Override
  public void serve(HttpRequest request, byte[] body, HttpExchange exchange) {
    String url = targetUrl.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    exchange.answer(
        200,
        HEADERS,
        "<!DOCTYPE html><html lang=\"en\"><head><title>TensorBoard</title>"
            + "<meta http-equiv=\"refresh\" content=\"0; url="
            + url
            + "\"></head><body><a href=\""
            + url
            + "\">TensorBoard</a></body></html>\n");
  }

  @Override
  public void close() {
    server.close();
  }
}
