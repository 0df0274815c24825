package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
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
 * All options there are: the constants of the {@code …Options} classes. It answers what a key
 * means, and which key a misspelt one may have meant.
 */
public final class Registry {
  /**
   * The options of one subject, sorted by key; those per role have <code>{role}</code> in it.
   *
   * @param intro one sentence of documentation; may be empty
   */
  public record Section(String title, String intro, List<ConfigOption<?>> options) {}

  /** A class whose public constants are the options of one subject. */
  private record Subject(String title, String intro, Class<?> holder) {
    Section section() {
      return new Section(
          title,
          intro,
          constants().stream()
              .<ConfigOption<?>>map(
                  constant ->
                      constant instanceof RoleOption<?> pattern
                          ? pattern.template()
                          : (ConfigOption<?>) constant)
              .sorted(Comparator.comparing(ConfigOption::key))
              .toList());
    }

    List<RoleOption<?>> patterns() {
      List<RoleOption<?>> patterns = new ArrayList<>();
      for (Object constant : constants()) {
        if (constant instanceof RoleOption<?> pattern) {
          patterns.add(pattern);
        }
      }
      return patterns;
    }

    private List<Object> constants() {
      List<Object> constants = new ArrayList<>();
      for (Field field : holder.getFields()) {
        try {
          constants.add(field.get(null));
        } catch (IllegalAccessException e) {
          throw new IllegalStateException(field + " must be a public constant", e);
        }
      }
      return constants;
    }
  }

  private static final List<Subject> SUBJECTS =
      List.of(
          new Subject(
              "The program",
              "What the tasks run, with which files and which environment.",
              ProgramOptions.class),
          new Subject(
              "A role",
              "`{role}` is any name of letters, digits, `_` and `-` that begins with a letter:"
                  + " `worker`, `ps`, `chief`, `evaluator`, …",
              RoleOptions.class),
          new Subject("The job", "", JobOptions.class),
          new Subject("The ApplicationMaster and retries", "", AmOptions.class),
          new Subject(
              "Checkpoints",
              "checkpoints.md tells how a program uses them.",
              CheckpointOptions.class),
          new Subject(
              "Elastic gangs",
              "elastic.md tells how a gang shrinks and grows.",
              ElasticOptions.class),
          new Subject("Executors and limits of tasks", "", TaskOptions.class),
          new Subject("The client, staging and history", "", ClientOptions.class),
          new Subject("Placement and Docker", "", PlacementOptions.class),
          new Subject(
              "Azkaban",
              "The job type sets those that name the step; `on-existing` and `dry-run` are the"
                  + " user's.",
              AzkabanOptions.class));

  private static final List<Section> SECTIONS = SUBJECTS.stream().map(Subject::section).toList();

  /** Options with a free part in their key, which are found by matching. */
  private static final List<RoleOption<?>> PATTERNS =
      SUBJECTS.stream().flatMap(subject -> subject.patterns().stream()).toList();

  private static final Map<String, ConfigOption<?>> EXACT = byKey();
  private static final Map<String, ConfigOption<?>> ALIASES = byAlias();

  private Registry() {}

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
    }
    return Collections.unmodifiableMap(options);
  }

  /** The options by subject, as the documentation shows them. */
  public static List<Section> sections() {
    return SECTIONS;
  }

  /** Every option once; those per role with <code>{role}</code> in their key. */
  public static List<ConfigOption<?>> all() {
    List<ConfigOption<?>> options = new ArrayList<>();
    SECTIONS.forEach(section -> options.addAll(section.options()));
    return List.copyOf(options);
  }

  /** The option that a key stands for: by its name, as one role's, or by a deprecated name. */
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

  /** The option with a free part in its key, which this key is one of. */
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

  /** The current name of a key: itself, unless it is a deprecated name. */
  public static String currentName(String key) {
    ConfigOption<?> option = ALIASES.get(key);
    return option == null ? key : option.key();
  }

  /** The known key that is most like this one, if any is; for a job with ps and workers. */
  public static Optional<String> suggest(String key) {
    return suggest(key, List.of("ps", "worker"));
  }

  /**
   * The known key that is most like this one, if any is. Keys per role are those of the given roles
   * and of the role that the key itself names.
   */
  public static Optional<String> suggest(String key, Collection<String> roles) {
    Set<String> candidateRoles = new TreeSet<>(roles);
    String[] parts = key.split("\\.", 3);
    if (parts.length == 3 && RoleNames.valid(parts[1])) {
      candidateRoles.add(parts[1]);
    }
    List<String> candidates = new ArrayList<>(EXACT.keySet());
    for (RoleOption<?> pattern : PATTERNS) {
      if (pattern.perRoleOnly()) {
        candidateRoles.forEach(role -> candidates.add(pattern.at(role).key()));
      }
    }
    return nearest(key, candidates, Math.max(3, key.length() / 5));
  }

  /** The candidate with the fewest typing mistakes, if they are no more than the limit. */
  public static Optional<String> nearest(String name, Collection<String> candidates, int limit) {
    return candidates.stream()
        .filter(candidate -> EditDistance.between(name, candidate) <= limit)
        .min(
            Comparator.<String>comparingInt(candidate -> EditDistance.between(name, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }
}
