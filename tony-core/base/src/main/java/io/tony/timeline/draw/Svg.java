package io.tony.timeline.draw;

import java.util.Locale;

/**
 * Writes the elements of an SVG picture. All text is escaped, because it may come from another
 * user.
 */
final class Svg {
  private static final String FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";

  private final StringBuilder elements = new StringBuilder();

  /**
   * Returns the whole SVG document. The elements of {@code front} are drawn over the elements of
   * this object.
   */
  String document(int width, int height, String name, String description, Svg front) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\""
        + width
        + "\" height=\""
        + height
        + "\" viewBox=\"0 0 "
        + width
        + " "
        + height
        + "\" font-family=\""
        + FONT
        + "\">\n<title>"
        + escaped(name)
        + "</title>\n<desc>"
        + escaped(description)
        + "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        + elements
        + front.elements
        + "</svg>\n";
  }

  /** Draws a rectangle; {@code title} is its tooltip, empty for none. */
  void rect(double x, double y, double width, double height, String fill, String title) {
    elements
        .append("<rect")
        .append(number("x", x))
        .append(number("y", y))
        .append(number("width", width))
        .append(number("height", height))
        .append(" fill=\"")
        .append(fill);
    close("rect", title);
  }

  void line(double x, double y, double toX, double toY, String stroke, String dashes) {
    elements
        .append("<line")
        .append(number("x1", x))
        .append(number("y1", y))
        .append(number("x2", toX))
        .append(number("y2", toY))
        .append(" stroke=\"")
        .append(stroke)
        .append(dashes.isEmpty() ? "" : "\" stroke-dasharray=\"" + dashes)
        .append("\"/>\n");
  }

  void circle(double x, double y, double radius, String fill, String title) {
    elements
        .append("<circle")
        .append(number("cx", x))
        .append(number("cy", y))
        .append(number("r", radius))
        .append(" fill=\"")
        .append(fill);
    close("circle", title);
  }

  void area(String path, String fill, String title) {
    elements.append("<path d=\"").append(path).append("\" fill=\"").append(fill);
    close("path", title);
  }

  void stroke(String path, String stroke, String title) {
    elements
        .append("<path d=\"")
        .append(path)
        .append("\" fill=\"none\" stroke-width=\"1.8\" stroke-linecap=\"round\" stroke=\"")
        .append(stroke);
    close("path", title);
  }

  /**
   * Draws text; {@code anchor} is the part of the text that is at x: {@code start}, {@code middle}
   * or {@code end}.
   */
  void text(double x, double y, int size, String fill, String anchor, String text) {
    text(x, y, size, fill, anchor, false, text);
  }

  void bold(double x, double y, int size, String fill, String text) {
    text(x, y, size, fill, "start", true, text);
  }

  private void text(
      double x, double y, int size, String fill, String anchor, boolean bold, String text) {
    elements
        .append("<text")
        .append(number("x", x))
        .append(number("y", y))
        .append(" font-size=\"")
        .append(size)
        .append("\" fill=\"")
        .append(fill)
        .append(anchor.equals("start") ? "" : "\" text-anchor=\"" + anchor)
        .append(bold ? "\" font-weight=\"600" : "")
        .append("\">")
        .append(escaped(text))
        .append("</text>\n");
  }

  private void close(String element, String title) {
    elements.append(
        title.isEmpty()
            ? "\"/>\n"
            : "\"><title>" + escaped(title) + "</title></" + element + ">\n");
  }

  private static String number(String name, double value) {
    return " " + name + "=\"" + number(value) + "\"";
  }

  /** Formats a number with at most one decimal. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  /**
   * Returns {@code text} so that it cannot end an element or attribute. Invisible characters, which
   * could reorder the displayed text, are replaced.
   */
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints().forEach(c -> escape(c, escaped));
    return escaped.toString();
  }

  private static void escape(int c, StringBuilder escaped) {
    switch (c) {
      case '&' -> escaped.append("&amp;");
      case '<' -> escaped.append("&lt;");
      case '>' -> escaped.append("&gt;");
      case '"' -> escaped.append("&quot;");
      case '\'' -> escaped.append("&#39;");
      default -> escaped.appendCodePoint(isVisible(c) ? c : 0xFFFD);
    }
  }

  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
