package io.tony.config.declared;

import java.util.Locale;

/** What to do when the same job of the same Azkaban execution still has a live application. */
public enum OnExisting {
  /** Follow it instead of training twice. */
  ATTACH,
  /** Kill it and start anew. */
  KILL,
  /** Refuse to start. */
  FAIL;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
