package io.tony.config;

import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds secrets in configuration values and other texts, and replaces them by {@link #MASK}. The
 * whole value of a key is a secret if the option is declared as secret or the key's name suggests a
 * secret. In other values and texts, passwords and signatures in URLs are secrets, and values of
 * arguments and variables whose names suggest a secret.
 */
public final class Secrets {
  /** Text that replaces a secret. */
  public static final String MASK = "******";

  private static final String NAMES =
      "password|passwd|passphrase|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key";

  private static final Pattern NAME = Pattern.compile(NAMES, Pattern.CASE_INSENSITIVE);

  /**
   * User and password in a URL. In {@code http://user@host} the user may be a token and counts as a
   * secret; in {@code abfss://container@account} it does not. URLs of S3 have their own alternative
   * in this pattern, because the secret key may contain a slash.
   */
  private static final Pattern URL_USER =
      Pattern.compile(
          "(s3[an]?://)[A-Z0-9]{16,128}:[A-Za-z0-9/+=%]{16,}@"
              + "|(?<![A-Za-z0-9+.-])([A-Za-z0-9+.-]++://)[^/\\s:@]*:[^/\\s@]+@"
              + "|(https?://)[^/\\s@]+@");

  /**
   * Matches the name of an argument or variable that is followed by its value: {@code --db-password
   * x}, {@code TOKEN=x}.
   */
  private static final Pattern ARGUMENT =
      Pattern.compile("(?:^|(?<=[\\s,;'\"?&]))([\\w.-]++)(=|\\s++)");

  /**
   * Matches a name with its value: {@code "db_password": "x"}, {@code DB_PASS=x}, {@code X-Token:
   * x}.
   */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?<![\\w.-])([\\w.-]++)(['\"]?+\\s*+[:=]\\s*+)(?:\"[^\"]*\"|'[^']*'|[^\\s,;'\"]++)");

  /**
   * Short words that suggest a secret only if they are a separate part of a name, because they also
   * occur inside harmless words.
   */
  private static final Pattern SHORT_NAME =
      Pattern.compile("(?:^|[_.-])(?:pass|auth|cookie)(?:$|[_.-])|pwd$", Pattern.CASE_INSENSITIVE);

  private static final Pattern AUTHORIZATION =
      Pattern.compile("\\b(Bearer|Basic)\\s++[^\\s'\"]++", Pattern.CASE_INSENSITIVE);

  private static final Pattern VALUE = Pattern.compile("\"[^\"]*\"|'[^']*'|[^\\s,;'\"]+");

  /**
   * Signatures in URLs: anyone who knows such a URL has access. Matches the parameters of S3,
   * Google's and Azure's stores, CloudFront and similar services, also if the URL is itself an
   * encoded parameter of another URL.
   */
  private static final Pattern SIGNATURE =
      Pattern.compile(
          "((?:[?&]|&amp;|%3F|%26)(?:[\\w.-]*signature|sig|key-pair-id|policy)(?:=|%3D))"
              + "(?:(?!%26)[^&\\s'\"#])+",
          Pattern.CASE_INSENSITIVE);

  private Secrets() {}

  /**
   * Returns true if the name of a key, an environment variable or an argument suggests a secret.
   */
  public static boolean isSecretName(String name) {
    return NAME.matcher(name).find();
  }

  /** Returns true if the text contains a URL with a password or token. */
  public static boolean holdsPasswordOfUrl(String text) {
    return URL_USER.matcher(text).find();
  }

  /**
   * Returns the text with the passwords and signatures in URLs, and the values of secret arguments,
   * replaced by {@link #MASK}. Takes time linear in the length of any text.
   */
  public static String maskText(String text) {
    String withoutUsers = URL_USER.matcher(text).replaceAll("$1$2$3" + MASK + "@");
    return maskArguments(SIGNATURE.matcher(withoutUsers).replaceAll("$1" + MASK));
  }

  private static String maskArguments(String text) {
    StringBuilder shown = new StringBuilder();
    Matcher argument = ARGUMENT.matcher(text);
    Matcher value = VALUE.matcher(text);
    int copied = 0;
    int from = 0;
    while (from <= text.length() && argument.find(from)) {
      from = argument.end();
      String name = argument.group(1);
      boolean takesValue = argument.group(2).equals("=") || name.startsWith("-");
      if (takesValue && isSecretName(name) && value.region(from, text.length()).lookingAt()) {
        shown.append(text, copied, from).append(MASK);
        from = value.end();
        copied = from;
      }
    }
    return shown.append(text, copied, text.length()).toString();
  }

  /**
   * Masks a text that is stored for long and shown to others, such as a command. Masks more than
   * {@link #maskText}: also values after {@code name: }, values in HTTP headers, and values of more
   * names. May mask harmless values, so use {@link #maskText} in messages to the job's own user.
   */
  public static String maskStrictly(String text) {
    String shown =
        NAMED
            .matcher(maskText(text))
            .replaceAll(
                named ->
                    isSecretName(named.group(1)) || SHORT_NAME.matcher(named.group(1)).find()
                        ? Matcher.quoteReplacement(named.group(1) + named.group(2) + MASK)
                        : Matcher.quoteReplacement(named.group()));
    return AUTHORIZATION.matcher(shown).replaceAll("$1 " + MASK);
  }

  /**
   * Returns {@code value}, which {@code key} has in a configuration, with its secrets replaced by
   * {@link #MASK}.
   */
  public static String mask(String key, String value) {
    Optional<ConfigOption<?>> option = Registry.lookup(key);
    if (isSecretName(key) || option.map(ConfigOption::isSecret).orElse(false)) {
      return MASK;
    }
    boolean map = option.map(found -> found.type().equals("map")).orElse(false);
    return map ? maskEntries(value) : maskText(value);
  }

  private static String maskEntries(String value) {
    List<String> shown = new ArrayList<>();
    boolean afterSecret = false;
    for (String entry : value.split(",", -1)) {
      int equals = entry.indexOf('=');
      if (equals >= 0) {
        String name = entry.substring(0, equals);
        afterSecret = isSecretName(name);
        shown.add(afterSecret ? name + "=" + MASK : maskText(entry));
      } else if (!afterSecret) {
        shown.add(maskText(entry));
      }
      // An entry without '=' after a secret entry may be the rest of a secret that contains a
      // comma, so it is left out.
    }
    return String.join(",", shown);
  }
}
