package io.tony.event;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The subject of an entry of {@link JobFact.UsageReport}: a single task ({@code worker:3}), or the
 * minimum, median or maximum over the tasks of a role ({@code worker max}).
 */
public enum UsageSubject {
  MIN,
  MEDIAN,
  MAX;

  private static final Pattern NAME = Pattern.compile("(.+)(?::\\d+| (?:min|median|max))");

  /** Returns the key in the report for this aggregate over the tasks of {@code role}. */
  public String of(String role) {
    return role + " " + name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the name of the role if {@code name} is the key of an aggregate over a role; empty if
   * it is the name of a task.
   */
  public static Optional<String> role(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
