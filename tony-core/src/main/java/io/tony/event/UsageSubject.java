package io.tony.event;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whose usage an entry of {@link JobFact.UsageReport} describes: a single task ({@code worker:3})
 * or an aggregate over a role with many tasks ({@code worker max}).
 */
public enum UsageSubject {
  MIN,
  MEDIAN,
  MAX;

  private static final Pattern NAME = Pattern.compile("(.+)(?::\\d+| (?:min|median|max))");

  /** Returns the key of this aggregate for {@code role}, as written to the log. */
  public String of(String role) {
    return role + " " + name().toLowerCase(Locale.ROOT);
  }

  /** Returns the role in the key of a usage entry; empty if {@code name} is not such a key. */
  public static Optional<String> role(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
