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
import org.jspecify.annotations.Nullable;

/**
 * Translates the properties of an Azkaban job into options of TonY and their values. A key that
 * begins with {@code tony.} is kept. A short key, such as {@code executes}, is replaced by the key
 * of the option that declares this short key. All other properties belong to Azkaban or to other
 * job types and are ignored. Values are not changed, with two exceptions: in a list of data sets,
 * commas become {@code ;}, and a pair of quotes around a whole value is removed if LinkedIn's TonY
 * passed the value in a command line.
 *
 * <p>If a job sets both a short key and the corresponding {@code tony.*} key, the short key takes
 * precedence. If it sets several short keys of one option, the first in the option's declaration
 * takes precedence. For {@code shell_env}, which is a list, the values of all keys are
 * concatenated.
 */
public final class JobTranslation {
  private static final String TONY_PREFIX = "tony.";

  /**
   * Azkaban's property with the path of a job inside embedded flows. The path is unique within an
   * execution; the job's id is not.
   */
  private static final String NESTED_PATH = "azkaban.flow.nested.path";

  /** Azkaban's property with the project's id. Azkaban 2.5.0 provides no project name. */
  private static final String PROJECT_ID = "azkaban.flow.projectid";

  /**
   * For each key of a job that sets an option, the key of that option. If both keys of an entry end
   * with a dot, they are prefixes, and the rest of the job's key is kept.
   */
  private static final Map<String, String> TABLE = table();

  /** Keys that {@link #suggest} may return: those that users write themselves, and may misspell. */
  private static final List<String> SUGGESTED =
      TABLE.keySet().stream()
          .filter(key -> !key.endsWith("."))
          .filter(key -> !key.startsWith("azkaban.") || key.endsWith(".dataset"))
          .toList();

  /**
   * Options whose values the job types of LinkedIn's TonY 0.4 and 0.5 appended to the command line
   * of their client. Azkaban split this line at blanks and removed quotes, so users put quotes
   * around a value of several words.
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

  /**
   * Key of a job that sets an environment variable of the programs. The prefix may be written in
   * several ways, such as {@code task.env.} or {@code worker_env_}.
   */
  private static final Pattern VARIABLE =
      Pattern.compile("(task|worker)[._-]?env[._-](.+)", Pattern.CASE_INSENSITIVE);

  /**
   * Properties that a step of this job type publishes for the steps that depend on it. Azkaban adds
   * them to the properties of these steps, where they must not be taken for options.
   */
  private static final Pattern PUBLISHED =
      Pattern.compile(
          "tony\\.(application\\.id|tracking\\.url|tensorboard\\.url|final\\.status|failure\\.kind"
              + "|checkpoint\\.(dir|latest)|output\\..*|task\\..*\\.log\\.url)");

  private JobTranslation() {}

  private static Map<String, String> table() {
    Map<String, String> table = new LinkedHashMap<>();
    // Put first, so that a variable that the job itself sets replaces this one.
    table.put(
        "azkaban.input.dataset", ProgramOptions.EXECUTION_ENV.at("AZKABAN_INPUT_DATASET").key());
    table.put(
        "azkaban.output.dataset", ProgramOptions.EXECUTION_ENV.at("AZKABAN_OUTPUT_DATASET").key());
    for (ConfigOption<?> option : Registry.all()) {
      List<String> spellings = new ArrayList<>(option.jobSpellings());
      // A later row of the table overrides an earlier one, and the first spelling has precedence.
      Collections.reverse(spellings);
      for (String spelling : spellings) {
        table.put(spelling.replace("NAME", ""), option.key().replace("{NAME}", ""));
      }
    }
    return Collections.unmodifiableMap(table);
  }

  /** Returns all keys of a job that set an option. A key that ends with a dot is a prefix. */
  public static List<String> keys() {
    List<String> keys = new ArrayList<>(TABLE.keySet());
    keys.addAll(List.of(TONY_PREFIX, NESTED_PATH, PROJECT_ID));
    return List.copyOf(keys);
  }

  /**
   * Returns true for a key that a step of this job type publishes for the steps that depend on it.
   */
  public static boolean isPublished(String key) {
    return PUBLISHED.matcher(key).matches();
  }

  /** Returns the key of the option that a job's key sets; empty if the key sets no option. */
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
   * Returns the known key that the user probably meant; empty if {@code key} is known itself, or if
   * no known key is similar to it.
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

  /**
   * Returns the known key that differs from {@code key} by the fewest typing mistakes; empty if all
   * differ by more than one mistake, or more than two for a longer key.
   */
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
   * @param job properties of the job, in which Azkaban has already replaced references such as
   *     {@code ${name}}
   * @param inWorkingDirectory returns true if the job's working directory contains a file or folder
   *     of the given name
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

  private static @Nullable String valueOf(Map<String, String> job, String from) {
    String value = job.get(from);
    if (AzkabanOptions.JOB.jobSpellings().contains(from)) {
      return job.getOrDefault(NESTED_PATH, value);
    }
    return value == null && AzkabanOptions.PROJECT.jobSpellings().contains(from)
        ? job.get(PROJECT_ID)
        : value;
  }
}
