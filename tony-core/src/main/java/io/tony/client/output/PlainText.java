package io.tony.client.output;

import io.tony.text.Strings;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Makes text safe for the log of a job, whatever its origin: no part can be taken for the end of
 * its line, for a terminal command, or for an event that programs read.
 */
public final class PlainText {
  /** Prefix of lines that programs read; occurs nowhere else in the log. */
  static final String EVENT_MARK = "tony-event";

  /**
   * Prefix of lines with several events. Earlier releases wrote a line for each event, with {@link
   * #EVENT_MARK}.
   */
  static final String EVENTS_MARK = EVENT_MARK + "s";

  /** Replacement of the mark in other text. */
  static final String MASKED_MARK = "tony_event";

  /** Maximum number of characters of a line; a longer line is cut. */
  static final int MAX_LINE_CHARS = 16 * 1024;

  private static final String CONTINUATION = "\n    ";
  private static final char REPLACEMENT = '\uFFFD';

  private PlainText() {}

  /**
   * Returns the safe text; lines after the first are indented, so that they cannot be taken for
   * lines of TonY.
   */
  static String of(String text) {
    return text.lines().map(PlainText::cleanLine).collect(Collectors.joining(CONTINUATION));
  }

  /** Returns the safe text as one line. */
  public static String inOneLine(String text) {
    return text.lines().map(PlainText::cleanLine).collect(Collectors.joining(" "));
  }

  /** Returns the line of JSON, with the harmful characters as JSON escapes. */
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
   * Returns whether the character is a bidirectional control, which can make a line appear in
   * another order.
   */
  private static boolean isDirectionMark(int c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  }
}
