package io.tony.model;

/** The first characters of a text that may be too long. */
public final class Beginning {
  private Beginning() {}

  /** At most so many; none of the letters that Java writes as two characters is cut in two. */
  public static String of(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
  }
}
