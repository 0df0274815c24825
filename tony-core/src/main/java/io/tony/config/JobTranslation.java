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
 * Turns the properties of an Azkaban job into options: {@code tony.*} as they are, and the short
 * keys that options declare as their spelling in a {@code .job} file. Whatever else a job has is
 * Azkaban's own or another job type's, and is left out. Values are never changed, quoted or
 * trimmed, with two exceptions: a list of data sets is separated by {@code ;}, and one pair of
 * quotes around all of a value is taken off where TonY's job type put it into a command line.
 *
 * <p>When a job gives both a short key and the {@code tony.*} key that it stands for, the short one
 * counts, and of two short ones the one that the option names first; for {@code shell_env}, which
 * is a list, both do.
 */
public final class JobTranslation {
  private static final String TONY_PREFIX = "tony.";

  /** The job in a flow that is embedded in another: unique in an execution, as its id is not. */
  private static final String NESTED_PATH = "azkaban.flow.nested.path";

  /** All that Azkaban 2.5.0 gives of the project. */
  private static final String PROJECT_ID = "azkaban.flow.projectid";

  /**
   * The key in a job, and the option's. A pair of names that end with a dot stands for all keys
   * with that prefix.
   */
  private static final Map<String, String> TABLE = table();

  /** Those that a person writes, and so may misspell. */
  private static final List<String> SUGGESTED =
      TABLE.keySet().stream()
          .filter(key -> !key.endsWith("."))
          .filter(key -> !key.startsWith("azkaban.") || key.endsWith(".dataset"))
          .toList();

  /**
   * What TonY 0.4 and 0.5 appended to the command line of its client as it stood. Azkaban took the
   * line apart at its blanks and removed the quotes, so a command of several words was written in
   * quotes.
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

  /** A variable of the programs' environment, however its prefix is written. */
  private static final Pattern VARIABLE =
      Pattern.compile("(task|worker)[._-]?env[._-](.+)", Pattern.CASE_INSENSITIVE);

  /**
   * What an earlier step of this type published for its dependants; Azkaban hands it to them as if
   * it were their own. It tells of that step, and sets nothing in this one.
   */
  private static final Pattern PUBLISHED =
      Pattern.compile(
          "tony\\.(application\\.id|tracking\\.url|tensorboard\\.url|final\\.status|failure\\.kind"
              + "|checkpoint\\.(dir|latest)|output\\..*|task\\..*\\.log\\.url)");

  private JobTranslation() {}

  private static Map<String, String> table() {
    Map<String, String> table = new LinkedHashMap<>();
    // First, so that a variable that the job names itself counts instead.
    table.put(
        "azkaban.input.dataset", ProgramOptions.EXECUTION_ENV.at("AZKABAN_INPUT_DATASET").key());
    table.put(
        "azkaban.output.dataset", ProgramOptions.EXECUTION_ENV.at("AZKABAN_OUTPUT_DATASET").key());
    for (ConfigOption<?> option : Registry.all()) {
      List<String> spellings = new ArrayList<>(option.jobSpellings());
      Collections.reverse(spellings); // the first one, which counts, is put last
      for (String spelling : spellings) {
        table.put(spelling.replace("NAME", ""), option.key().replace("{NAME}", ""));
      }
    }
    return Collections.unmodifiableMap(table);
  }

  /** All keys that are read, and prefixes of keys, which end with a dot. */
  public static List<String> keys() {
    List<String> keys = new ArrayList<>(TABLE.keySet());
    keys.addAll(List.of(TONY_PREFIX, NESTED_PATH, PROJECT_ID));
    return List.copyOf(keys);
  }

  /** True for a key that a step of this type publishes for its dependants. */
  public static boolean isPublished(String key) {
    return PUBLISHED.matcher(key).matches();
  }

  /** The key of the option that a job's key stands for; empty for one that is not read. */
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

  /** The key of a job that another one was probably meant to be. */
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

  /** One typing mistake in a short name, two in a longer one. */
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
   * Translates one job.
   *
   * @param job its properties, resolved by Azkaban
   * @param inWorkingDirectory whether the job's working directory has a file or folder of that name
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
