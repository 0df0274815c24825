package io.tony.config.declared;

import java.util.Locale;

/** What to do if the same job of the same Azkaban execution already has a running application. */
public enum OnExisting {
  /** Follow the running application instead of starting another one. */
  ATTACH,
  /** Kill the running application and start another one. */
  KILL,
  /** Refuse to start. */
  FAIL;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
