package io.tony.client.shell;

import java.util.Arrays;

/**
 * Recognizes, in what the user types, the keys that leave a remote shell even if it does not
 * respond: {@code ~.} at the beginning of a line, as in ssh. {@code ~~} there sends one {@code ~}.
 */
final class EscapeFilter {
  private static final byte ESCAPE = '~';

  private boolean atLineStart = true;
  private boolean escapePending;
  private boolean exitRequested;

  /**
   * Returns the bytes to be sent to the shell: the typed ones without escape sequences. May hold
   * back a {@code ~} at the end until the next call.
   *
   * @param length number of bytes of {@code typed} that are valid
   */
  byte[] filter(byte[] typed, int length) {
    // One more byte, for a ~ that the previous call held back
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

  /**
   * Returns true if the user has typed {@code ~.}; from then on, {@link #filter} returns no more
   * bytes.
   */
  boolean exitRequested() {
    return exitRequested;
  }
}
