package io.tony.config;

import java.util.Optional;

/** Recognizes a text that consists of one quoted string. */
public final class QuotedText {
  private QuotedText() {}

  /**
   * Returns the text between the quotes if {@code text}, without surrounding blanks, is enclosed in
   * one pair of single or double quotes. Otherwise empty, also if the same quote occurs inside:
   * {@code 'a' && 'b'} is two strings.
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
