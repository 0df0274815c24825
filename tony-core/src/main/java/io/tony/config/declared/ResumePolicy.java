package io.tony.config.declared;

import java.util.Locale;

/** When programs are given the newest checkpoint to go on from. */
public enum ResumePolicy {
  /** Where it was made by the same code with the same options. */
  SAME,
  ALWAYS,
  NEVER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
