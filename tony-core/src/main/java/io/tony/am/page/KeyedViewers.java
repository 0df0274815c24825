package io.tony.am.page;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.RequestRejectedException;
import java.security.MessageDigest;

/**
 * Who may see the page of a job of this machine, where other users can call it, too: whoever has
 * its link, of which a key is the first part of the path. A cookie would go to the other users'
 * ports of this machine as well.
 *
 * @param key letters and digits
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
