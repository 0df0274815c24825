package io.tony.am.page;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tony.am.serve.HttpConversation;
import io.tony.am.serve.HttpRequest;
import io.tony.am.serve.Refusal;
import java.security.MessageDigest;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who may see the page of a job of this machine, where other users can call it, too: whoever has
 * its link, in which a key stands. The browser keeps the key in a cookie from then on.
 */
final class KeyHolders implements Viewers {
  private static final Pattern LINK = Pattern.compile("/\\?key=([A-Za-z0-9]+)");

  private final String key;
  private final String cookie;
  private final Pattern cookies;

  /** {@code application} tells its cookie from those of other pages of this host. */
  KeyHolders(String key, String application) {
    this.key = key;
    this.cookie = "tony-" + application;
    this.cookies = Pattern.compile("(?:^|;\\s*)" + Pattern.quote(cookie) + "=([^;]*)");
  }

  @Override
  public boolean admit(HttpRequest request, HttpConversation conversation) {
    Matcher link = LINK.matcher(request.target());
    if (link.matches() && is(link.group(1))) {
      conversation.answer(
          302,
          Map.of(
              "Location",
              "/",
              "Set-Cookie",
              cookie + "=" + key + "; Path=/; HttpOnly; SameSite=Strict"),
          "");
      return false;
    }
    Matcher kept = cookies.matcher(request.header("cookie"));
    if (!kept.find() || !is(kept.group(1))) {
      throw new Refusal(
          403,
          "those who have not its link",
          "use the whole link of this page, as the client has printed it");
    }
    return true;
  }

  private boolean is(String given) {
    return MessageDigest.isEqual(given.getBytes(US_ASCII), key.getBytes(US_ASCII));
  }
}
