package io.tony.config;

import io.tony.config.RemovedKeys.RemovedKey;
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
 * means, which key a misspelt one may have meant, and what is wrong with the keys of a
 * configuration.
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
    for (RoleOption<?> pattern : PATTERNS) {
      Optional<List<String>> names = pattern.names(key);
      if (names.isPresent()) {
        return Optional.of(pattern.template().withKey(key));
      }
    }
    return Optional.empty();
  }

  /** The current name of a key: itself, unless it is a deprecated name. */
  static String currentName(String key) {
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
  static Optional<String> nearest(String name, Collection<String> candidates, int limit) {
    return candidates.stream()
        .filter(candidate -> EditDistance.between(name, candidate) <= limit)
        .min(
            Comparator.<String>comparingInt(candidate -> EditDistance.between(name, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** What is wrong with the keys of a configuration, whatever their values. */
  public static Problems problems(TonyConfig config) {
    Problems problems = new Problems();
    for (String key : config.asMap().keySet()) {
      checkKey(key, config, problems);
    }
    config
        .renamed()
        .forEach(
            name ->
                problems.warning(
                    name.alias()
                        + " ("
                        + name.origin()
                        + ") is the old name of "
                        + name.key()
                        + ": write the new one"));
    config
        .overruled()
        .forEach(
            key ->
                problems.warning(
                    key.key()
                        + " ("
                        + key.origin()
                        + ") has no effect: "
                        + key.finalIn()
                        + " declares its own value as final"));
    return problems;
  }

  private static void checkKey(String key, TonyConfig config, Problems problems) {
    String where = key + " (" + config.origin(key).orElse("") + ")";
    if (!key.startsWith("tony.")) {
      problems.warning(
          where
              + " has no effect: "
              + JobTranslation.suggest(key)
                  .map(name -> "did you mean " + name + "?")
                  .orElse("only keys that begin with tony. are options"));
      return;
    }
    Optional<RemovedKey> removed = RemovedKeys.find(key);
    if (removed.isPresent()) {
      problems.warning(where + " has no effect: " + removed.get().remedy());
    } else if (lookup(key).isEmpty()) {
      problems.error(
          where
              + " is not an option: "
              + suggest(key, config.roles())
                  .map(name -> "did you mean " + name + "?")
                  .orElse("docs/configuration.md lists all; remove it"));
    } else {
      checkRoleOfKey(key, config, problems);
    }
  }

  /** A site may set defaults for the customary roles; another role without tasks is a mistake. */
  private static void checkRoleOfKey(String key, TonyConfig config, Problems problems) {
    if (EXACT.containsKey(key)) {
      return;
    }
    for (RoleOption<?> pattern : PATTERNS) {
      Optional<List<String>> names = pattern.names(key);
      if (names.isEmpty() || !pattern.perRole()) {
        continue;
      }
      String role = names.get().get(0);
      if (!config.roles().contains(role)
          && !RoleNames.customary(role)
          && !ProgramOfMaster.reads(pattern, role)) {
        problems.warning(
            key
                + " has no effect: the job has no role "
                + role
                + "; "
                + nearest(role, config.roles(), 2)
                    .map(name -> "did you mean " + pattern.withFirst(name, names.get()) + "?")
                    .orElse("set tony." + role + ".instances"));
      }
    }
  }
}
