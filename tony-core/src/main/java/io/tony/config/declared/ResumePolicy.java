package io.tony.config.declared;

import java.util.Locale;

/** Defines when a job resumes from the newest checkpoint. */
public enum ResumePolicy {
  /** Only if the checkpoint was created by the same code with the same options. */
  SAME,
  ALWAYS,
  NEVER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
