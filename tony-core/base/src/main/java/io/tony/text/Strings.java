package io.tony.text;

/** Operations on strings. */
public final class Strings {
  private Strings() {}

  /**
   * Returns the first {@code maxChars} characters of the text; one fewer where the last one would
   * be half of a surrogate pair. Returns the text if it is not longer.
   *
   * @param maxChars positive
   */
  public static String truncate(String text, int maxChars) {
    if (text.length() <= maxChars) {
      return text;
    }
    return text.substring(
        0, Character.isHighSurrogate(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars);
  }
}
