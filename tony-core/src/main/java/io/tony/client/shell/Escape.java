package io.tony.client.shell;

import java.util.Arrays;

/**
 * What a user types to leave a shell that does not answer: {@code ~.} at the beginning of a line,
 * as with ssh. {@code ~~} there is one {@code ~}.
 */
final class Escape {
  private static final byte MARK = '~';

  private boolean lineBegins = true;
  private boolean marked;
  private boolean leaves;

  /** What of it is for the shell. */
  byte[] pass(byte[] typed, int length) {
    byte[] passed = new byte[length + 1]; // a mark may have been kept back before
    int count = 0;
    for (int i = 0; i < length && !leaves; i++) {
      byte key = typed[i];
      if (marked && key == '.') {
        leaves = true;
      } else if (!marked && lineBegins && key == MARK) {
        marked = true;
      } else {
        if (marked && key != MARK) {
          passed[count++] = MARK;
        }
        passed[count++] = key;
        marked = false;
        lineBegins = key == '\r' || key == '\n';
      }
    }
    return Arrays.copyOf(passed, count);
  }

  /** The user has typed it: nothing more is for the shell. */
  boolean leaves() {
    return leaves;
  }
}
