package io.tony.am.page;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.RequestRejectedException;
import java.security.MessageDigest;

/**
 * Access control for the page of a local job. Other users of the machine can connect to the page's
 * port, so the first part of the path must be a secret key, which only the printed link contains. A
 * cookie would not be secret: browsers would also send it to other users' ports on this machine.
 *
 * @param key secret key, of letters and digits
 */
record KeyedViewers(String key) implements Viewers {
  @Override
  public String admit(HttpRequest request, HttpExchange exchange) {
    String[] parts = request.target().split("/", 3);
    if (parts.length < 3 || !matchesKey(parts[1])) {
      throw new RequestRejectedException(
          403,
          "those who have not its link",
          "use the whole link of this page, as the client has printed it");
    }
    return "/" + parts[2];
  }

  private boolean matchesKey(String candidate) {
    return MessageDigest.isEqual(candidate.getBytes(US_ASCII), key.getBytes(US_ASCII));
  }
}
