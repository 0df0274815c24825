package io.tony.config.declared;

import java.util.Locale;

/** When programs get the newest checkpoint to resume from. */
public enum ResumePolicy {
  /** If the checkpoint was created by the same code with the same options. */
  SAME,
  ALWAYS,
  NEVER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
