package io.tony.config;

import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Translates the properties of an Azkaban job into options. Keys {@code tony.*} are taken as they
 * are; short keys are those that options declare as their spelling in a {@code .job} file. All
 * other properties belong to Azkaban or to other job types and are ignored. Values are not changed,
 * quoted or trimmed, with two exceptions: in a list of data sets, commas become {@code ;}, and one
 * pair of quotes around a whole value is removed where TonY's job type put the value into a command
 * line.
 *
 * <p>If a job sets both a short key and the corresponding {@code tony.*} key, the short key takes
 * precedence; of two short keys, the one that the option declares first. For {@code shell_env},
 * which is a list, the values are concatenated.
 */
public final class JobTranslation {
  private static final String TONY_PREFIX = "tony.";

  /**
   * Path of the job in a flow that is embedded in another flow. Unique within an execution, unlike
   * the job's id.
   */
  private static final String NESTED_PATH = "azkaban.flow.nested.path";

  /** Project property of Azkaban 2.5.0, which provides no project name. */
  private static final String PROJECT_ID = "azkaban.flow.projectid";

  /**
   * Option keys by the job's keys. A pair of names that end with a dot covers all keys with that
   * prefix.
   */
  private static final Map<String, String> TABLE = table();

  /** Keys that users write by hand, and may misspell. */
  private static final List<String> SUGGESTED =
      TABLE.keySet().stream()
          .filter(key -> !key.endsWith("."))
          .filter(key -> !key.startsWith("azkaban.") || key.endsWith(".dataset"))
          .toList();

  /**
   * Keys whose values TonY 0.4 and 0.5 appended to their client's command line. Azkaban split the
   * line at blanks and removed quotes, so users put quotes around a command of several words.
   */
  private static final Set<String> ON_TONYS_COMMAND_LINE =
      Stream.of(
              ProgramOptions.EXECUTES,
              ProgramOptions.SRC_DIR,
              ProgramOptions.HDFS_CLASSPATH,
              ProgramOptions.PYTHON_BINARY_PATH,
              ProgramOptions.PYTHON_VENV)
          .flatMap(option -> option.jobSpellings().stream())
          .collect(Collectors.toUnmodifiableSet());

  private static final int MAX_MISTAKES = 2;

  /** A variable of the programs' environment, with any spelling of the prefix. */
  private static final Pattern VARIABLE =
      Pattern.compile("(task|worker)[._-]?env[._-](.+)", Pattern.CASE_INSENSITIVE);

  /**
   * Properties that an earlier step of this type published for its dependents. Azkaban passes them
   * to the dependents like properties of their own; they describe the earlier step and set nothing
   * in this one.
   */
  private static final Pattern PUBLISHED =
      Pattern.compile(
          "tony\\.(application\\.id|tracking\\.url|tensorboard\\.url|final\\.status|failure\\.kind"
              + "|checkpoint\\.(dir|latest)|output\\..*|task\\..*\\.log\\.url)");

  private JobTranslation() {}

  private static Map<String, String> table() {
    Map<String, String> table = new LinkedHashMap<>();
    // First, so that a variable that the job sets itself takes precedence.
    table.put(
        "azkaban.input.dataset", ProgramOptions.EXECUTION_ENV.at("AZKABAN_INPUT_DATASET").key());
    table.put(
        "azkaban.output.dataset", ProgramOptions.EXECUTION_ENV.at("AZKABAN_OUTPUT_DATASET").key());
    for (ConfigOption<?> option : Registry.all()) {
      List<String> spellings = new ArrayList<>(option.jobSpellings());
      Collections.reverse(spellings); // the first spelling takes precedence, so it is put last
      for (String spelling : spellings) {
        table.put(spelling.replace("NAME", ""), option.key().replace("{NAME}", ""));
      }
    }
    return Collections.unmodifiableMap(table);
  }

  /** Returns all keys that are read; those that end with a dot are prefixes of keys. */
  public static List<String> keys() {
    List<String> keys = new ArrayList<>(TABLE.keySet());
    keys.addAll(List.of(TONY_PREFIX, NESTED_PATH, PROJECT_ID));
    return List.copyOf(keys);
  }

  /** Returns true for a key that a step of this type publishes for its dependents. */
  public static boolean isPublished(String key) {
    return PUBLISHED.matcher(key).matches();
  }

  /** Returns the key of the option that a job's key sets; empty if the key is ignored. */
  public static Optional<String> optionOf(String jobKey) {
    String option = TABLE.get(jobKey);
    if (option != null) {
      return Optional.of(option);
    }
    return TABLE.keySet().stream()
        .filter(prefix -> prefix.endsWith(".") && isBelow(jobKey, prefix))
        .map(prefix -> TABLE.get(prefix) + jobKey.substring(prefix.length()))
        .findFirst()
        .or(() -> Optional.of(jobKey).filter(JobTranslation::isOption));
  }

  private static boolean isOption(String key) {
    return key.startsWith(TONY_PREFIX) && !isPublished(key);
  }

  /**
   * Returns the key that the user probably meant; empty if the key is known or resembles no other.
   */
  public static Optional<String> suggest(String key) {
    if (TABLE.containsKey(key)) {
      return Optional.empty();
    }
    if (key.regionMatches(true, 0, TONY_PREFIX, 0, TONY_PREFIX.length())) {
      return Optional.of(TONY_PREFIX + key.substring(TONY_PREFIX.length()))
          .filter(meant -> !meant.equals(key));
    }
    Matcher variable = VARIABLE.matcher(key);
    if (variable.matches()) {
      String prefix = variable.group(1).toLowerCase(Locale.ROOT) + "_env.";
      return Optional.of(prefix + variable.group(2)).filter(meant -> !meant.equals(key));
    }
    String letters = letters(key);
    return SUGGESTED.stream()
        .filter(name -> letters(name).equals(letters))
        .findFirst()
        .or(() -> nearest(key.toLowerCase(Locale.ROOT)));
  }

  /** Finds the most similar key: one typing mistake in a short name, two in a longer one. */
  private static Optional<String> nearest(String key) {
    List<String> candidates =
        SUGGESTED.stream()
            .filter(name -> Registry.nearest(key, List.of(name), name.length() / 4).isPresent())
            .toList();
    return Registry.nearest(key, candidates, MAX_MISTAKES);
  }

  private static String letters(String key) {
    return key.replaceAll("[._-]", "").toLowerCase(Locale.ROOT);
  }

  /**
   * Translates the properties of one job.
   *
   * @param job properties of the job, resolved by Azkaban
   * @param inWorkingDirectory whether the job's working directory has a file or folder with this
   *     name
   * @return values by option key
   */
  public static Map<String, String> translate(
      Map<String, String> job, Predicate<String> inWorkingDirectory) {
    Map<String, String> translated = new LinkedHashMap<>();
    new TreeMap<>(job)
        .forEach(
            (key, value) -> {
              if (isOption(key)) {
                translated.put(key, value);
              }
            });
    TABLE.forEach((from, to) -> translateKey(job, from, to, translated));
    addDefault(ProgramOptions.SRC_DIR, "src", inWorkingDirectory, translated);
    addDefault(ProgramOptions.CONF_FILE, "tony.xml", inWorkingDirectory, translated);
    return translated;
  }

  private static void addDefault(
      ConfigOption<String> option,
      String file,
      Predicate<String> inWorkingDirectory,
      Map<String, String> translated) {
    boolean named =
        Optional.ofNullable(translated.get(option.key())).flatMap(option::normalize).isPresent();
    if (!named && inWorkingDirectory.test(file)) {
      translated.put(option.key(), file);
    }
  }

  private static void translateKey(
      Map<String, String> job, String from, String to, Map<String, String> translated) {
    if (from.endsWith(".")) {
      job.forEach(
          (key, value) -> {
            if (isBelow(key, from)) {
              translated.put(to + key.substring(from.length()), value);
            }
          });
      return;
    }
    String value = valueOf(job, from);
    if (value == null) {
      return;
    }
    if (to.equals(ProgramOptions.EXECUTION_ENVS.key())) {
      translated.merge(to, value, (list, more) -> list + "," + more);
    } else if (from.endsWith(".dataset")) {
      translated.put(to, value.replace(',', ';'));
    } else if (ON_TONYS_COMMAND_LINE.contains(from)) {
      translated.put(to, QuotedText.inside(value).orElse(value));
    } else {
      translated.put(to, value);
    }
  }

  private static boolean isBelow(String key, String prefix) {
    return key.startsWith(prefix) && key.length() > prefix.length();
  }

  private static String valueOf(Map<String, String> job, String from) {
    String value = job.get(from);
    if (AzkabanOptions.JOB.jobSpellings().contains(from)) {
      return job.getOrDefault(NESTED_PATH, value);
    }
    return value == null && AzkabanOptions.PROJECT.jobSpellings().contains(from)
        ? job.get(PROJECT_ID)
        : value;
  }
}
