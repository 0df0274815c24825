package io.tony.client.output;

import io.tony.text.Strings;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Text as it may stand in the log of a job, whoever wrote it: nothing in it can be taken for the
 * end of its line, for a command to a terminal, or for an event that programs read.
 */
public final class PlainText {
  /** With this begin the lines that programs read; it stands nowhere else in the log. */
  static final String EVENT_MARK = "tony-event";

  /** Begins a line of several events. Earlier releases wrote a line for each, after the other. */
  static final String EVENTS_MARK = EVENT_MARK + "s";

  /** What the mark becomes in any other text. */
  static final String MASKED_MARK = "tony_event";

  /** Characters of a line; a longer one is cut. */
  static final int MAX_LINE_CHARS = 16 * 1024;

  private static final String CONTINUATION = "\n    ";
  private static final char REPLACEMENT = '\uFFFD';

  private PlainText() {}

  /** Lines after the first are indented: what a log's reader sees at the margin is not theirs. */
  static String of(String text) {
    return text.lines().map(PlainText::cleanLine).collect(Collectors.joining(CONTINUATION));
  }

  /** All of it in one line. */
  public static String inOneLine(String text) {
    return text.lines().map(PlainText::cleanLine).collect(Collectors.joining(" "));
  }

  /** A line of JSON, in which the same characters stand as JSON escapes them. */
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

  /** Marks for text in both directions: they can show a line in another order than it has. */
  private static boolean isDirectionMark(int c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  }
}
