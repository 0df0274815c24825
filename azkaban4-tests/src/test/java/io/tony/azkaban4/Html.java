package io.tony.azkaban4;

import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text that Azkaban has escaped for a page. */
final class Html {

  private static final Pattern ENTITY = Pattern.compile("&(#\\d+|[a-z]+);");
  private static final Map<String, String> NAMED =
      Map.of("amp", "&", "lt", "<", "gt", ">", "quot", "\"", "times", "×", "middot", "·");

  private Html() {}

  /** The text itself; an entity that no message of TonY has stays as it is. */
  static String unescape(String html) {
    return ENTITY.matcher(html).replaceAll(Html::character);
  }

  private static String character(MatchResult entity) {
    String name = entity.group(1);
    String text =
        name.startsWith("#")
            ? Character.toString(Integer.parseInt(name.substring(1)))
            : NAMED.getOrDefault(name, entity.group());
    return Matcher.quoteReplacement(text);
  }
}
