package io.tony.azkaban.mini;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/**
 * Writes to standard output: lines and, on a terminal, a live line below them, which is redrawn.
 * Thread-safe.
 */
final class Screen {

  private static final String ERASE_LINE = "\r\033[K";
  // These turn automatic wrapping off and on: a live line that wraps could not be erased.
  private static final String NO_WRAP = "\033[?7l";
  private static final String WRAP = "\033[?7h";

  /** The meaning of a text, shown by its colour. */
  enum Tone {
    PLAIN(""),
    JOB("\033[36m"),
    GOOD("\033[32m"),
    BAD("\033[31m"),
    FAINT("\033[2m");

    private final String escape;

    Tone(String escape) {
      this.escape = escape;
    }
  }

  private final PrintStream out;
  private final boolean terminal;
  private final boolean colour;
  private String live = "";
  private boolean liveEnded;

  Screen(PrintStream out, boolean terminal, boolean colour) {
    this.out = out;
    this.terminal = terminal;
    this.colour = colour;
  }

  /**
   * Returns a screen on this stream. Colours are used only on a terminal, and only if the
   * environment variable NO_COLOR is not set (no-color.org).
   */
  static Screen on(PrintStream out) {
    boolean terminal = isTerminal();
    String noColour = System.getenv("NO_COLOR");
    return new Screen(out, terminal, terminal && (noColour == null || noColour.isEmpty()));
  }

  boolean hasLiveLine() {
    return terminal;
  }

  String tint(Tone tone, String text) {
    return colour && !tone.escape.isEmpty() ? tone.escape + text + "\033[0m" : text;
  }

  synchronized void line(String text) {
    if (live.isEmpty()) {
      out.println(text);
    } else {
      out.print(ERASE_LINE);
      out.println(text);
      draw();
    }
    out.flush();
  }

  /**
   * Replaces the live line below all other lines. Has no effect without a terminal or after {@link
   * #endLive}.
   */
  synchronized void live(String text) {
    if (terminal && !liveEnded && !text.equals(live)) {
      live = text;
      out.print(ERASE_LINE);
      draw();
      out.flush();
    }
  }

  /** Removes the live line. Later calls of {@link #live} have no effect. */
  synchronized void endLive() {
    live("");
    liveEnded = true;
  }

  private void draw() {
    if (!live.isEmpty()) {
      out.print(NO_WRAP + live + WRAP);
    }
  }

  /**
   * Returns true if standard output is a terminal. From Java 22 on, a {@link java.io.Console} also
   * exists without a terminal, and its method isTerminal() decides.
   */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal() {
    if (System.console() == null) {
      return false;
    }
    try {
      return (boolean) System.console().getClass().getMethod("isTerminal").invoke(System.console());
    } catch (NoSuchMethodException e) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}
