package io.tony.text;

/** Operations on strings. */
public final class Strings {
  private Strings() {}

  /**
   * Returns the first {@code maxChars} characters of the text, or one less in order not to split a
   * surrogate pair. {@code maxChars} must be positive.
   */
  public static String truncate(String text, int maxChars) {
    if (text.length() <= maxChars) {
      return text;
    }
    return text.substring(
        0, Character.isHighSurrogate(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars);
  }
}
