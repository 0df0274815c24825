package io.tony.am.page;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;

/** Where YARN's link to an application leads when it has ended: to its page in the history. */
public final class HistoryLink {
  private HistoryLink() {}

  /** Null where the platform names no history. */
  public static String of(TonyConfig config, String application) {
    return config
        .find(ClientOptions.HISTORY_URL)
        .map(url -> url.replaceFirst("/+$", "") + "/jobs/" + application + "/")
        .orElse(null);
  }
}
