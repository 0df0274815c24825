package io.tony.azkaban.mini;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/**
 * Standard output: whole lines and, on a terminal, one live line below them that is redrawn.
 * Thread-safe.
 */
final class Screen {

  private static final String ERASE_LINE = "\r\033[K";
  // A live line that is wider than the terminal must not wrap: it could not be erased.
  private static final String NO_WRAP = "\033[?7l";
  private static final String WRAP = "\033[?7h";

  /** The meaning of a piece of text, which determines its colour. */
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
   * Returns a screen on this stream. Colour is used only on a terminal, and not if NO_COLOR is set
   * (no-color.org).
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

  /** Shows this text as the live line below all other lines. Has no effect without a terminal. */
  synchronized void live(String text) {
    if (terminal && !liveEnded && !text.equals(live)) {
      live = text;
      out.print(ERASE_LINE);
      draw();
      out.flush();
    }
  }

  /** Removes the live line permanently. */
  synchronized void endLive() {
    live("");
    liveEnded = true;
  }

  private void draw() {
    if (!live.isEmpty()) {
      out.print(NO_WRAP + live + WRAP);
    }
  }

  /** From Java 22 on, a Console exists even without a terminal, and has a method isTerminal(). */
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
