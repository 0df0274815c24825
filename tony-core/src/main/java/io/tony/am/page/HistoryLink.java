package io.tony.am.page;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Where YARN's link to an application leads when it has ended: to its page in the history. */
public final class HistoryLink {
  private HistoryLink() {}

  /**
   * Null where the platform names no history.
   *
   * @param user whose job it is: anybody else may have a log of the same application in a history
   */
  public static String of(TonyConfig config, String application, String user) {
    return config
        .find(ClientOptions.HISTORY_URL)
        .map(url -> url.replaceFirst("/+$", "") + "/jobs/" + application + "@" + part(user) + "/")
        .orElse(null);
  }

  /** As a part of a path. */
  private static String part(String user) {
    return URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
