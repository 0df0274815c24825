package io.tony.am.serve;

import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/** Lines of one byte per character, in both directions, until one of the two ends it. */
public final class LineConversation implements Conversation {
  static final int MAX_LINE_BYTES = 8 * 1024;

  private final Caller caller;
  private final BiConsumer<Caller, String> onLine;
  private final StringBuilder begun = new StringBuilder(); // a line whose end is to come

  /** {@code onLine} takes a line without its end, and throws a {@link Refusal} for nonsense. */
  public LineConversation(Caller caller, BiConsumer<Caller, String> onLine) {
    this.caller = caller;
    this.onLine = onLine;
  }

  @Override
  public void take(ByteBuffer received) {
    while (received.hasRemaining() && caller.isOpen()) {
      char next = (char) (received.get() & 0xff);
      if (next == '\n') {
        String line = begun.toString();
        begun.setLength(0);
        onLine.accept(caller, line);
      } else if (begun.length() == MAX_LINE_BYTES) {
        throw new Refusal(0, "bytes of a line", "a line is above " + MAX_LINE_BYTES + " bytes");
      } else {
        begun.append(next);
      }
    }
    caller.hold(begun.length());
  }

  @Override
  public void refuse(Refusal refusal) {
    caller.close();
  }
}
