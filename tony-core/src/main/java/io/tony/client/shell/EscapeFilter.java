package io.tony.client.shell;

import java.util.Arrays;

/**
 * What a user types to leave a shell that does not answer: {@code ~.} at the beginning of a line,
 * as with ssh. {@code ~~} there is one {@code ~}.
 */
final class EscapeFilter {
  private static final byte ESCAPE = '~';

  private boolean atLineStart = true;
  private boolean escapePending;
  private boolean exitRequested;

  /** What of it is for the shell. */
  byte[] filter(byte[] typed, int length) {
    byte[] passed = new byte[length + 1]; // a mark may have been kept back before
    int count = 0;
    for (int i = 0; i < length && !exitRequested; i++) {
      byte key = typed[i];
      if (escapePending && key == '.') {
        exitRequested = true;
      } else if (!escapePending && atLineStart && key == ESCAPE) {
        escapePending = true;
      } else {
        if (escapePending && key != ESCAPE) {
          passed[count++] = ESCAPE;
        }
        passed[count++] = key;
        escapePending = false;
        atLineStart = key == '\r' || key == '\n';
      }
    }
    return Arrays.copyOf(passed, count);
  }

  /** The user has typed it: nothing more is for the shell. */
  boolean exitRequested() {
    return exitRequested;
  }
}
