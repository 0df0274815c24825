package io.tony.event;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An aggregate over the tasks of a role: the minimum, median or maximum of their usage. The keys of
 * {@link JobFact.UsageReport} name such an aggregate ({@code worker max}) or a single task ({@code
 * worker:3}).
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
   * Returns the name of the role to which a key of {@link JobFact.UsageReport} belongs: {@code
   * worker} for the task {@code worker:3} and for the aggregate {@code worker max}. Returns empty
   * if {@code name} has neither form.
   */
  public static Optional<String> role(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
