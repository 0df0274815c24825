package io.tony.config.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An option that exists once for each role ({@code tony.{role}.memory}), or for each other name
 * that the user chooses ({@code tony.execution.env.{NAME}}). {@link #at} returns the option for one
 * role or name. Immutable.
 *
 * @param <T> type of the option's value
 */
public final class RoleOption<T> implements DeclaredOption {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([A-Za-z]+)}");

  private final ConfigOption<T> template;
  private final Pattern keys;
  private final List<String> placeholders;

  private RoleOption(ConfigOption<T> template) {
    this.template = template;
    this.placeholders = new ArrayList<>();
    StringBuilder regex = new StringBuilder();
    Matcher matcher = PLACEHOLDER.matcher(template.key());
    int end = 0;
    while (matcher.find()) {
      regex.append(Pattern.quote(template.key().substring(end, matcher.start())));
      regex.append('(').append(regexOf(matcher.group(1))).append(')');
      placeholders.add(matcher.group(1));
      end = matcher.end();
    }
    if (placeholders.isEmpty()) {
      throw new IllegalArgumentException("no {name} in the key " + template.key());
    }
    regex.append(Pattern.quote(template.key().substring(end)));
    this.keys = Pattern.compile(regex.toString(), Pattern.DOTALL);
  }

  /**
   * Creates a role option from an option whose key contains placeholders.
   *
   * @param template option with <code>{role}</code> or other placeholders in braces in its key
   */
  public static <T> RoleOption<T> of(ConfigOption<T> template) {
    return new RoleOption<>(template);
  }

  private static String regexOf(String placeholder) {
    return switch (placeholder) {
      case "role" -> RoleNames.PATTERN;
      case "group" -> "[A-Za-z0-9_-]+";
      case "resource", "NAME" -> ".+";
      default -> throw new IllegalArgumentException("unknown placeholder {" + placeholder + "}");
    };
  }

  /**
   * Returns the option for these names. They replace the placeholders in the key in order, one name
   * for each placeholder.
   */
  public ConfigOption<T> at(String... names) {
    if (names.length != placeholders.size()) {
      throw new IllegalArgumentException(template.key() + " takes " + placeholders + " only");
    }
    String key = template.key();
    for (int i = 0; i < names.length; i++) {
      key = key.replace("{" + placeholders.get(i) + "}", names[i]);
    }
    return template.withKey(key);
  }

  /**
   * Returns the names that {@code key} has in place of the placeholders, in order; empty if {@code
   * key} is not a key of this option.
   */
  public Optional<List<String>> names(String key) {
    Matcher matcher = keys.matcher(key);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < placeholders.size(); i++) {
      String name = matcher.group(i + 1);
      if (placeholders.get(i).equals("role") && !RoleNames.isValid(name)) {
        return Optional.empty();
      }
      names.add(name);
    }
    return Optional.of(List.copyOf(names));
  }

  /**
   * Returns the key of this option with {@code names} in place of its placeholders, except that
   * {@code first} takes the place of the first placeholder.
   */
  public String withFirst(String first, List<String> names) {
    String[] others = names.toArray(new String[0]);
    others[0] = first;
    return at(others).key();
  }

  /** Returns true if the first placeholder of the key stands for a role. */
  public boolean isPerRole() {
    return placeholders.get(0).equals("role");
  }

  /** Returns true if the key has only one placeholder, and it stands for a role. */
  public boolean isPerRoleOnly() {
    return placeholders.equals(List.of("role"));
  }

  @Override
  public ConfigOption<T> template() {
    return template;
  }

  @Override
  public String toString() {
    return template.key();
  }
}
