package io.tony.config;

import java.util.Optional;

/** A text that is one quoted string as a whole. */
public final class QuotedText {
  private QuotedText() {}

  /**
   * What is between the quotes. Empty for a text that is not one pair of single or double quotes
   * with no such quote inside, blanks around it aside: {@code 'a' && 'b'} is two strings.
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
