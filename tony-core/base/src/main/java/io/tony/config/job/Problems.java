package io.tony.config.job;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the errors and warnings about a configuration, so that the user sees all of them
 * together. An error prevents the submission; a warning does not. Each message names the setting,
 * its value, the limit and the remedy. A message that is added again is dropped. Not thread-safe.
 */
public final class Problems {
  private final Set<String> errors = new LinkedHashSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();

  public void addError(String message) {
    errors.add(message);
  }

  public void addWarning(String message) {
    warnings.add(message);
  }

  public void addAll(Problems others) {
    errors.addAll(others.errors);
    warnings.addAll(others.warnings);
  }

  /** Returns the errors in the order in which they were added. */
  public List<String> errors() {
    return List.copyOf(errors);
  }

  /** Returns the warnings in the order in which they were added. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  public boolean hasErrors() {
    return !errors.isEmpty();
  }

  /** Returns true if there is neither an error nor a warning. */
  public boolean isEmpty() {
    return errors.isEmpty() && warnings.isEmpty();
  }

  /** Returns one problem per line, errors first. */
  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    errors.forEach(message -> lines.add("error: " + message));
    warnings.forEach(message -> lines.add("warning: " + message));
    return String.join("\n", lines);
  }
}
