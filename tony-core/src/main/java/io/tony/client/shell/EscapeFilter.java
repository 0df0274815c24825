package io.tony.client.shell;

import java.util.Arrays;

/**
 * Detects the key sequence that leaves an unresponsive shell: {@code ~.} at the beginning of a
 * line, as with ssh. {@code ~~} at the beginning of a line stands for one {@code ~}.
 */
final class EscapeFilter {
  private static final byte ESCAPE = '~';

  private boolean atLineStart = true;
  private boolean escapePending;
  private boolean exitRequested;

  /** Returns the bytes to send to the shell. */
  byte[] filter(byte[] typed, int length) {
    // One more, for an escape character held back by the previous call
    byte[] passed = new byte[length + 1];
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

  /** Returns true if the user has typed the sequence; nothing more is sent to the shell. */
  boolean exitRequested() {
    return exitRequested;
  }
}
