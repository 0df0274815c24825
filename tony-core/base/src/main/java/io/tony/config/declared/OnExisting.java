package io.tony.config.declared;

import java.util.Locale;

/**
 * What the client does if the same job of the same Azkaban execution already has a running
 * application.
 */
public enum OnExisting {
  /** Follow the running application instead of starting another one. */
  ATTACH,
  /** Kill the running application, then start another one. */
  KILL,
  /** Start nothing, and fail. */
  FAIL;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
