package io.tony.am.page;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** URL of an application's page in the history, for YARN's link after the application has ended. */
public final class HistoryLink {
  private HistoryLink() {}

  /**
   * Returns the URL; null if no history is configured.
   *
   * @param user owner of the job; in the history, other users may have logs with the same
   *     application ID
   */
  public static String of(TonyConfig config, String application, String user) {
    return config
        .find(ClientOptions.HISTORY_URL)
        .map(url -> url.replaceFirst("/+$", "") + "/jobs/" + application + "@" + part(user) + "/")
        .orElse(null);
  }

  /** Returns the user name, encoded as a path segment. */
  private static String part(String user) {
    return URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
