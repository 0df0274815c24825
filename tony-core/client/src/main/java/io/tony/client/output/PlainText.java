package io.tony.client.output;

import io.tony.text.Strings;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Makes text from any source safe for a job's log: a part of the text cannot look like a new line
 * of the log, control a terminal, or be mistaken for a machine-readable event.
 */
public final class PlainText {
  /** Prefix of machine-readable lines; occurs in no other line of the log. */
  static final String EVENT_MARK = "tony-event";

  /**
   * Prefix of machine-readable lines with several events. Earlier releases of TonY wrote one event
   * per line, with {@link #EVENT_MARK}.
   */
  static final String EVENTS_MARK = EVENT_MARK + "s";

  /** Replaces {@link #EVENT_MARK} in other text. */
  static final String MASKED_MARK = "tony_event";

  /** Maximum number of characters of a line; longer lines are cut off. */
  static final int MAX_LINE_CHARS = 16 * 1024;

  private static final String CONTINUATION = "\n    ";
  private static final char REPLACEMENT = '\uFFFD';

  private PlainText() {}

  /**
   * Returns the text, made safe. Lines after the first are indented, so that they do not look like
   * lines of TonY.
   */
  static String of(String text) {
    return text.lines().map(PlainText::cleanLine).collect(Collectors.joining(CONTINUATION));
  }

  /** Returns the text, made safe, with blanks instead of line breaks. */
  public static String inOneLine(String text) {
    return text.lines().map(PlainText::cleanLine).collect(Collectors.joining(" "));
  }

  /**
   * Returns equivalent JSON in which these characters are escaped: control characters except tabs,
   * Unicode's line and paragraph separators, and bidirectional controls.
   */
  static String ofJson(String json) {
    StringBuilder text = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (printable(c) == c) {
        text.append(c);
      } else {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    return text.toString();
  }

  private static String cleanLine(String line) {
    return truncate(line)
        .chars()
        .map(PlainText::printable)
        .collect(StringBuilder::new, (text, c) -> text.append((char) c), StringBuilder::append)
        .toString()
        .replace(EVENT_MARK, MASKED_MARK);
  }

  private static String truncate(String line) {
    if (line.length() <= MAX_LINE_CHARS) {
      return line;
    }
    String start = Strings.truncate(line, MAX_LINE_CHARS);
    return start + "… (" + (line.length() - start.length()) + " more characters)";
  }

  private static int printable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL -> c == '\t' ? c : REPLACEMENT;
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> REPLACEMENT;
      default -> isDirectionMark(c) ? REPLACEMENT : c;
    };
  }

  /**
   * Returns whether the character is a bidirectional control, by which a terminal may show a line
   * in another order.
   */
  private static boolean isDirectionMark(int c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  }
}
