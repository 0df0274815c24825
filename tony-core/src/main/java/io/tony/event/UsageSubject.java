package io.tony.event;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an entry of {@link JobFact.UsageReport} describes: a single task ({@code worker:3}), or the
 * minimum, median or maximum over the tasks of a role ({@code worker max}).
 */
public enum UsageSubject {
  MIN,
  MEDIAN,
  MAX;

  private static final Pattern NAME = Pattern.compile("(.+)(?::\\d+| (?:min|median|max))");

  /** Returns the key of this aggregate for {@code role}, as written to the event log. */
  public String of(String role) {
    return role + " " + name().toLowerCase(Locale.ROOT);
  }

  /** Returns the role if {@code name} is the key of an aggregate over a role; empty otherwise. */
  public static Optional<String> role(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
