package io.tony.text;

/** The first characters of a text that may be too long. */
public final class Strings {
  private Strings() {}

  /** At most so many; none of the letters that Java writes as two characters is cut in two. */
  public static String truncate(String text, int maxChars) {
    if (text.length() <= maxChars) {
      return text;
    }
    return text.substring(
        0, Character.isHighSurrogate(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars);
  }
}
