package io.tony.am.page;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * URL of an application's page on the history server, to which YARN's link leads after the
 * application has ended.
 */
public final class HistoryLink {
  private HistoryLink() {}

  /**
   * Returns the URL; null if no history server is configured.
   *
   * @param user owner of the job; part of the URL, because other users may have logs with the same
   *     application ID
   */
  public static @Nullable String of(TonyConfig config, String application, String user) {
    return config
        .find(ClientOptions.HISTORY_URL)
        .map(url -> url.replaceFirst("/+$", "") + "/jobs/" + application + "@" + part(user) + "/")
        .orElse(null);
  }

  /** Returns the user name as an encoded path segment of a URL. */
  private static String part(String user) {
    return URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
