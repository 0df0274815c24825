package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.DeclaredOption;
import io.tony.config.option.RoleNames;
import io.tony.config.option.RoleOption;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All options of TonY, which are constants of the {@code …Options} classes. Finds the option that a
 * key sets, and the known key that a misspelt key probably means.
 */
public final class Registry {
  /** Classes whose public constants are the options. */
  private static final List<Class<?>> HOLDERS =
      List.of(
          ProgramOptions.class,
          RoleOptions.class,
          JobOptions.class,
          AmOptions.class,
          CheckpointOptions.class,
          ElasticOptions.class,
          TaskOptions.class,
          ClientOptions.class,
          PlacementOptions.class,
          AzkabanOptions.class);

  private static final List<DeclaredOption> DECLARED =
      HOLDERS.stream().flatMap(holder -> constants(holder).stream()).toList();

  private static final List<ConfigOption<?>> ALL =
      DECLARED.stream()
          .<ConfigOption<?>>map(DeclaredOption::template)
          .sorted(Comparator.comparing(ConfigOption::key))
          .toList();

  /**
   * Options with placeholders in their keys. A key is compared with the pattern of each of them.
   */
  private static final List<RoleOption<?>> PATTERNS =
      DECLARED.stream()
          .filter(RoleOption.class::isInstance)
          .<RoleOption<?>>map(option -> (RoleOption<?>) option)
          .toList();

  private static final Map<String, ConfigOption<?>> EXACT = byKey();
  private static final Map<String, ConfigOption<?>> ALIASES = byAlias();

  private Registry() {}

  private static List<DeclaredOption> constants(Class<?> holder) {
    List<DeclaredOption> constants = new ArrayList<>();
    for (Field field : holder.getFields()) {
      try {
        constants.add((DeclaredOption) field.get(null));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(field + " must be a public constant", e);
      }
    }
    return constants;
  }

  private static Map<String, ConfigOption<?>> byKey() {
    Map<String, ConfigOption<?>> options = new TreeMap<>();
    all().stream()
        .filter(option -> !option.key().contains("{"))
        .forEach(option -> options.put(option.key(), option));
    return Collections.unmodifiableMap(options);
  }

  private static Map<String, ConfigOption<?>> byAlias() {
    Map<String, ConfigOption<?>> options = new TreeMap<>();
    for (ConfigOption<?> option : all()) {
      option.aliases().forEach(alias -> options.put(alias, option));
      option.oldNames().forEach(alias -> options.put(alias, option));
    }
    return Collections.unmodifiableMap(options);
  }

  /**
   * Returns every option once, sorted by key. An option that exists for each role has the
   * placeholder <code>{role}</code> in its key.
   */
  public static List<ConfigOption<?>> all() {
    return ALL;
  }

  /**
   * Returns the option that a key sets; empty if there is none. The key may be the option's own key
   * (for a role option, with the name of a role) or another name of the option.
   */
  public static Optional<ConfigOption<?>> lookup(String key) {
    ConfigOption<?> exact = EXACT.get(key);
    if (exact == null) {
      exact = ALIASES.get(key);
    }
    if (exact != null) {
      return Optional.of(exact);
    }
    return pattern(key).map(pattern -> pattern.template().withKey(key));
  }

  /**
   * Returns the option with placeholders whose pattern matches {@code key}; empty if there is none.
   */
  public static Optional<RoleOption<?>> pattern(String key) {
    if (EXACT.containsKey(key)) {
      return Optional.empty();
    }
    for (RoleOption<?> pattern : PATTERNS) {
      if (pattern.names(key).isPresent()) {
        return Optional.of(pattern);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the own key of the option if {@code key} is one of its other names; else returns {@code
   * key}.
   */
  public static String currentName(String key) {
    ConfigOption<?> option = ALIASES.get(key);
    return option == null ? key : option.key();
  }

  /** Returns true for an outdated name of an option, see {@link ConfigOption#oldNames}. */
  public static boolean isOldName(String key) {
    return ALIASES.containsKey(key) && ALIASES.get(key).oldNames().contains(key);
  }

  /**
   * Returns the known key that is most similar to {@code key}; empty if none is similar. Assumes a
   * job with the roles ps and worker.
   */
  public static Optional<String> suggest(String key) {
    return suggest(key, List.of("ps", "worker"));
  }

  /**
   * Returns the known key that is most similar to {@code key}; empty if none is similar. The known
   * keys include the role options of {@code roles} and of the role that {@code key} itself names.
   * If the second part of {@code key} is one of {@code roles} or a reserved word, only keys with
   * this second part, or one that differs by a typing mistake, are suggested: {@code
   * tony.am.instances} does not mean {@code tony.ps.instances}.
   */
  public static Optional<String> suggest(String key, Collection<String> roles) {
    Set<String> candidateRoles = new TreeSet<>(roles);
    String[] parts = key.split("\\.", 3);
    if (parts.length == 3 && RoleNames.isValid(parts[1])) {
      candidateRoles.add(parts[1]);
    }
    List<String> candidates = new ArrayList<>(EXACT.keySet());
    for (RoleOption<?> pattern : PATTERNS) {
      if (pattern.isPerRoleOnly()) {
        candidateRoles.forEach(role -> candidates.add(pattern.at(role).key()));
      }
    }
    if (parts.length == 3 && (RoleNames.isReserved(parts[1]) || roles.contains(parts[1]))) {
      candidates.removeIf(candidate -> !isSameFamily(parts[1], candidate));
    }
    return nearest(key, candidates, Math.max(3, key.length() / 5));
  }

  /**
   * Returns true if the second part of {@code candidate} equals the given word or differs from it
   * by few typing mistakes for its length, such as {@code container} and {@code containers}.
   */
  private static boolean isSameFamily(String family, String candidate) {
    String other = candidate.split("\\.", 3)[1];
    return EditDistance.between(family, other) <= family.length() / 5;
  }

  /**
   * Returns the candidate that differs from {@code name} by the fewest typing mistakes; empty if
   * all differ by more than {@code limit} mistakes.
   */
  public static Optional<String> nearest(String name, Collection<String> candidates, int limit) {
    return candidates.stream()
        .filter(candidate -> EditDistance.between(name, candidate) <= limit)
        .min(
            Comparator.<String>comparingInt(candidate -> EditDistance.between(name, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }
}
