package io.tony.config;

import java.util.Optional;

/** Finds out whether a text is one quoted string. */
public final class QuotedText {
  private QuotedText() {}

  /**
   * Returns the text between the quotes if {@code text}, apart from surrounding blanks, is enclosed
   * in one pair of single or double quotes. Otherwise returns empty, also if the same kind of quote
   * occurs between them: {@code 'a' && 'b'} is two strings.
   */
  public static Optional<String> inside(String text) {
    String stripped = text.strip();
    if (stripped.length() < 2) {
      return Optional.empty();
    }
    char quote = stripped.charAt(0);
    int next = stripped.indexOf(quote, 1);
    return (quote == '\'' || quote == '"') && next == stripped.length() - 1
        ? Optional.of(stripped.substring(1, next))
        : Optional.empty();
  }
}
