package io.tony.config;

import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What must not be shown, and how a value looks without it. A value is a secret when its option
 * says so or when its name sounds like one; a text can also hold secrets inside: the password of a
 * URL, the value of an argument or of a variable with such a name.
 */
public final class Secrets {
  /** Stands wherever a secret was. */
  public static final String MASK = "******";

  private static final String NAMES =
      "password|passwd|passphrase|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key";

  private static final Pattern NAME = Pattern.compile(NAMES, Pattern.CASE_INSENSITIVE);

  /**
   * Over HTTP the user alone may be a token; {@code abfss://container@account} is a place. The keys
   * of an S3 are no user's: what is secret of them may hold a slash.
   */
  private static final Pattern URL_USER =
      Pattern.compile(
          "(s3[an]?://)[A-Z0-9]{16,128}:[A-Za-z0-9/+=%]{16,}@"
              + "|(?<![A-Za-z0-9+.-])([A-Za-z0-9+.-]++://)[^/\\s:@]*:[^/\\s@]+@"
              + "|(https?://)[^/\\s@]+@");

  /** What may stand before a value: {@code --db-password x}, {@code TOKEN=x}. */
  private static final Pattern ARGUMENT =
      Pattern.compile("(?:^|(?<=[\\s,;'\"?&]))([\\w.-]++)(=|\\s++)");

  /** {@code "db_password": "x"}, {@code DB_PASS=x}, {@code X-Token: x}. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?<![\\w.-])([\\w.-]++)(['\"]?+\\s*+[:=]\\s*+)(?:\"[^\"]*\"|'[^']*'|[^\\s,;'\"]++)");

  /** Too short to be looked for in the midst of a word. */
  private static final Pattern SHORT_NAME =
      Pattern.compile("(?:^|[_.-])(?:pass|auth|cookie)(?:$|[_.-])|pwd$", Pattern.CASE_INSENSITIVE);

  private static final Pattern AUTHORIZATION =
      Pattern.compile("\\b(Bearer|Basic)\\s++[^\\s'\"]++", Pattern.CASE_INSENSITIVE);

  private static final Pattern VALUE = Pattern.compile("\"[^\"]*\"|'[^']*'|[^\\s,;'\"]+");

  /**
   * Whoever has a signed URL may do what it says. Parameters of S3, Google's and Azure's stores,
   * CloudFront and those that are like them; also in a URL that is a parameter itself.
   */
  private static final Pattern SIGNATURE =
      Pattern.compile(
          "((?:[?&]|&amp;|%3F|%26)(?:[\\w.-]*signature|sig|key-pair-id|policy)(?:=|%3D))"
              + "(?:(?!%26)[^&\\s'\"#])+",
          Pattern.CASE_INSENSITIVE);

  private Secrets() {}

  /**
   * True for the name of a key, an environment variable or an argument that sounds like a secret.
   */
  public static boolean isSecretName(String name) {
    return NAME.matcher(name).find();
  }

  /** True for a text with a URL that holds a password. */
  public static boolean holdsPasswordOfUrl(String text) {
    return URL_USER.matcher(text).find();
  }

  /**
   * A text without the passwords and signatures of its URLs and the values of its secret arguments.
   * It takes time in proportion to the text, whatever that is.
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
   * A text that is kept for long and shown to others, such as a command. Beside what {@link
   * #maskText} masks, values behind {@code name: } and in headers, and those of some more names; it
   * may mask more than is secret, which a message to the job's own user should not.
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

  /** The value of a key as it may be shown. */
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
      // An entry without '=' after a secret is the rest of a secret that holds a comma: left out.
    }
    return String.join(",", shown);
  }
}
