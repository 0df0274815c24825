package io.tony.config.declared;

import java.util.Locale;

/** Defines from which checkpoints a job may resume. */
public enum ResumePolicy {
  /**
   * Resume only from a checkpoint of a job with the same framework, commands, environment and
   * files.
   */
  SAME,
  ALWAYS,
  NEVER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
