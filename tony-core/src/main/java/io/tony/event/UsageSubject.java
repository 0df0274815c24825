package io.tony.event;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whose a use in {@link JobFact.UsageReport} is: a task's ({@code worker:3}), or one of the three
 * that stand for a role with many tasks ({@code worker max}).
 */
public enum UsageSubject {
  MIN,
  MEDIAN,
  MAX;

  private static final Pattern NAME = Pattern.compile("(.+)(?::\\d+| (?:min|median|max))");

  /** How the log names this one of a role's tasks. */
  public String of(String role) {
    return role + " " + name().toLowerCase(Locale.ROOT);
  }

  /** The role that a name is of; nothing for a name that is none. */
  public static Optional<String> role(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
