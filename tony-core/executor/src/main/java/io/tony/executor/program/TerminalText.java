package io.tony.executor.program;

import java.util.ArrayList;
import java.util.List;

/**
 * Converts output that was written for a terminal into the lines that the terminal would show at
 * the end. A redrawn progress bar becomes one line, its last version; colours and other terminal
 * commands are removed. Programs such as tqdm and rich write such output even to a file.
 */
final class TerminalText {
  private static final char ESCAPE = '\u001b';
  private static final char BELL = '\u0007';
  private static final char BACKSPACE = '\b';

  /** One line of the terminal's screen. */
  private static final class Row {
    private final StringBuilder text = new StringBuilder();

    /**
     * True if a terminal command has drawn or erased in this row; the row is then left out if it is
     * blank.
     */
    private boolean drawn;

    /**
     * True if the cursor is at the start of this row, so that the next character replaces the row's
     * text.
     */
    private boolean replaced;

    void write(char c) {
      if (replaced) {
        text.setLength(0);
        replaced = false;
      }
      text.append(c);
    }
  }

  private final String written;
  private final List<Row> rows = new ArrayList<>(List.of(new Row()));
  private int row;

  private TerminalText(String written) {
    this.written = written;
  }

  /** Returns the lines without line ends; an empty list for an empty text. */
  static List<String> lines(String written) {
    TerminalText text = new TerminalText(written);
    text.draw();
    return text.shown(written.isEmpty() || written.endsWith("\n"));
  }

  /** Returns the last line that is not blank, without blanks around it; empty if there is none. */
  static String lastLine(String written) {
    return lines(written).stream()
        .filter(line -> !line.isBlank())
        .reduce("", (previous, next) -> next)
        .strip();
  }

  private void draw() {
    int at = 0;
    while (at < written.length()) {
      char c = written.charAt(at);
      at++;
      switch (c) {
        case '\n' -> {
          row++;
          if (row == rows.size()) {
            rows.add(new Row());
          }
          current().replaced = true;
        }
        case '\r' -> {
          boolean endsLine = at < written.length() && written.charAt(at) == '\n';
          current().replaced = true;
          current().drawn |= !endsLine;
        }
        case BACKSPACE -> erase();
        case BELL -> {}
        case ESCAPE -> at = command(at);
        default -> current().write(c);
      }
    }
  }

  private Row current() {
    return rows.get(row);
  }

  private void erase() {
    Row now = current();
    now.drawn = true;
    if (!now.replaced && !now.text.isEmpty()) {
      now.text.setLength(now.text.length() - 1);
    }
  }

  /**
   * Executes a terminal command. Returns the position after the command.
   *
   * @param start position after the command's escape character
   */
  private int command(int start) {
    if (start == written.length()) {
      return start;
    }
    current().drawn = true;
    return switch (written.charAt(start)) {
      case '[' -> control(start + 1);
      case ']' -> textCommand(start + 1);
      case '(', ')' -> Math.min(written.length(), start + 2); // selects a character set
      default -> start + 1;
    };
  }

  /**
   * Executes a command {@code ESC [ numbers letter}. Moves the cursor between rows and erases rows;
   * ignores colours and the like.
   */
  private int control(int start) {
    int at = start;
    while (at < written.length() && written.charAt(at) >= ' ' && written.charAt(at) <= '?') {
      at++;
    }
    if (at == written.length()) {
      return at; // the text ends within the command
    }
    int count = number(written.substring(start, at));
    switch (written.charAt(at)) {
      case 'A', 'F' -> row = Math.max(0, row - count);
      case 'B', 'E' -> row = Math.min(rows.size() - 1, row + count);
      case 'K' -> {
        // Only "2K" erases text before the cursor. After the cursor there never is any text here.
        if (written.startsWith("2K", start)) {
          current().text.setLength(0);
        }
      }
      default -> {}
    }
    return at + 1;
  }

  /**
   * Skips a command {@code ESC ] text BEL} or {@code ESC ] text ESC \}, which is a window title or
   * a link.
   */
  private int textCommand(int start) {
    for (int at = start; at < written.length() && written.charAt(at) != '\n'; at++) {
      if (written.charAt(at) == BELL) {
        return at + 1;
      }
      if (written.startsWith("\u001b\\", at)) {
        return at + 2;
      }
    }
    return start; // the end is missing: skip only "ESC ]"
  }

  private static int number(String text) {
    boolean invalid =
        text.isEmpty() || text.length() > 4 || !text.chars().allMatch(TerminalText::isDigit);
    return invalid ? 1 : Math.max(1, Integer.parseInt(text));
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private List<String> shown(boolean endsWithLine) {
    int count = endsWithLine && rows.get(rows.size() - 1).text.isEmpty() ? 1 : 0;
    List<String> lines = new ArrayList<>();
    for (Row shown : rows.subList(0, rows.size() - count)) {
      String text = shown.text.toString();
      if (!shown.drawn || !text.isBlank()) {
        lines.add(shown.drawn ? text.stripTrailing() : text);
      }
    }
    return lines;
  }
}
