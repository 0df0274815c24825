package io.tony.config.job;

import io.tony.config.JobTranslation;
import io.tony.config.Secrets;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the properties of an Azkaban job that contain a secret, by their names and by what their
 * options are used for. Azkaban shows all properties to everyone who may read the project, and its
 * newest release prints them into the job's log. Names such as {@code max_tokens}, {@code
 * pad_token} or the path of a password file must not match, because a false warning would appear in
 * the log of every run.
 */
public final class SecretProperties {
  private static final int MAX_NAMED = 10;

  private static final Set<String> SECRET_NAME_PARTS =
      Set.of(
          "password",
          "passwd",
          "pwd",
          "passphrase",
          "secret",
          "secrets",
          "credential",
          "credentials",
          "apikey",
          "token");

  /** Words that make a name a secret's if they stand before {@code key}. */
  private static final Set<String> KINDS_OF_KEY = Set.of("api", "access", "private", "secret");

  /**
   * Words before {@code token} in the names of harmless values: special tokens of a training text,
   * or a number of tokens.
   */
  private static final Set<String> TEXT_TOKENS =
      Set.of(
          "eos", "bos", "pad", "unk", "sep", "cls", "mask", "special", "next", "stop", "start",
          "end", "begin", "image", "max", "min", "num", "per", "new", "extra", "first", "last");

  /** Last words of names whose values only say where a secret is, such as {@code password_file}. */
  private static final Set<String> REFERENCES =
      Set.of(
          "file",
          "files",
          "path",
          "location",
          "dir",
          "folder",
          "name",
          "alias",
          "id",
          "ids",
          "type",
          "class",
          "provider",
          "store",
          "url",
          "uri",
          "endpoint",
          "enabled",
          "required",
          "length",
          "len",
          "size",
          "limit",
          "count",
          "ttl",
          "lifetime",
          "interval",
          "renewer");

  /**
   * Names of Azkaban's own properties, which select tokens for its Hadoop job types or describe the
   * job.
   */
  private static final Pattern AZKABAN_KEYS =
      Pattern.compile("(obtain|azkaban|hadoop-inject)\\..*");

  private static final Pattern ARGUMENT =
      Pattern.compile("(?<![\\w.-])(?:(--?[A-Za-z][\\w.-]*)(?:=|\\s+)|([A-Za-z_]\\w*)=)(\\S+)");

  /**
   * Values that are not secrets: an expression that the task's shell evaluates, a path or URL, a
   * number, a switch, or a marker such as {@code <pad>}.
   */
  private static final Pattern NO_SECRET =
      Pattern.compile(
          "|\\$[^{].*|`.*|[A-Za-z][\\w+.-]*:/.*|\\.{0,2}/.*|[<\\[].*[>\\]]|[0-9]{1,7}"
              + "|(?i:true|false|yes|no|none|null|default)");

  private static final Pattern PART_BOUNDARY =
      Pattern.compile("[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

  private SecretProperties() {}

  /**
   * Returns a warning for the job's user that names the properties with secrets; empty if no
   * property looks like a secret.
   *
   * @param properties values by key; a value is null if it is unknown
   */
  public static Optional<String> warning(Map<String, String> properties) {
    List<String> keys = new ArrayList<>();
    new TreeMap<>(properties)
        .forEach(
            (key, value) -> {
              if (holdsSecret(key, value)) {
                keys.add(key);
              }
            });
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    int more = keys.size() - MAX_NAMED;
    return Optional.of(
        String.join(", ", keys.subList(0, Math.min(MAX_NAMED, keys.size())))
            + (more > 0 ? " and " + more + " more look" : keys.size() == 1 ? " looks" : " look")
            + " like a secret: Azkaban shows the properties of a job to all who may read the"
            + " project, and Azkaban 4 prints them into the job's log. Put the value into a file"
            + " that only the job's user may read, and ship that with "
            + ProgramOptions.FILES.key()
            + " (docs/security.md)");
  }

  private static boolean holdsSecret(String key, @Nullable String value) {
    Optional<String> option = JobTranslation.optionOf(key);
    if (option.isEmpty()) {
      return !JobTranslation.isPublished(key)
          && !AZKABAN_KEYS.matcher(key).matches()
          && isSecret(key, value);
    }
    Optional<String> variable = variable(option.get());
    if (variable.isPresent()) {
      return isSecret(variable.get(), value) || holdsPassword(value);
    }
    return holdsPassword(value) || (isText(option.get()) && holdsArgument(value));
  }

  /**
   * Returns the name of the environment variable that the option with this key sets for programs;
   * empty if it sets none.
   */
  private static Optional<String> variable(String option) {
    return ProgramOptions.EXECUTION_ENV
        .names(option)
        .map(names -> names.get(0))
        .or(() -> RoleOptions.ENV.names(option).map(names -> names.get(1)));
  }

  /**
   * Returns true if the value of the option with this key is a command line or a list of
   * environment variables, which may contain a secret as one of its parts.
   */
  private static boolean isText(String option) {
    List<ConfigOption<?>> texts =
        List.of(
            ProgramOptions.EXECUTES,
            ProgramOptions.TASK_PARAMS,
            ProgramOptions.COMMAND,
            ProgramOptions.EXECUTION_ENVS,
            ProgramOptions.CONTAINER_ENVS);
    return texts.stream().anyMatch(text -> text.key().equals(option))
        || RoleOptions.COMMAND.names(option).isPresent()
        || RoleOptions.ENVS.names(option).isPresent();
  }

  private static boolean holdsPassword(@Nullable String value) {
    return value != null && Secrets.holdsPasswordOfUrl(value);
  }

  private static boolean holdsArgument(@Nullable String value) {
    if (value == null) {
      return false;
    }
    Matcher argument = ARGUMENT.matcher(value);
    int from = 0;
    while (argument.find(from)) {
      String name = argument.group(1) == null ? argument.group(2) : argument.group(1);
      String given = argument.group(3).replaceAll("^['\"]|['\",;]+$", "");
      if (!given.startsWith("-") && isSecret(name, given)) {
        return true;
      }
      // Continue at the value, because it may itself be the name of the next argument.
      from = argument.start(3);
    }
    return false;
  }

  private static boolean isSecret(String name, @Nullable String value) {
    return isSecretName(name) && (value == null || !NO_SECRET.matcher(value.strip()).matches());
  }

  /**
   * Returns true if a name suggests a secret: {@code DB_PASSWORD}, {@code apiKey}, {@code
   * hf.token}, but not {@code pad_token} or {@code token_file}.
   */
  static boolean isSecretName(String name) {
    List<String> parts =
        PART_BOUNDARY
            .splitAsStream(name)
            .filter(part -> !part.isEmpty())
            .map(part -> part.toLowerCase(Locale.ROOT))
            .toList();
    if (parts.isEmpty() || REFERENCES.contains(parts.get(parts.size() - 1))) {
      return false;
    }
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      String previous = i == 0 ? "" : parts.get(i - 1);
      boolean ofText = part.equals("token") && TEXT_TOKENS.contains(previous);
      boolean key = part.equals("key") && KINDS_OF_KEY.contains(previous);
      if (key || part.endsWith("password") || (SECRET_NAME_PARTS.contains(part) && !ofText)) {
        return true;
      }
    }
    return false;
  }
}
