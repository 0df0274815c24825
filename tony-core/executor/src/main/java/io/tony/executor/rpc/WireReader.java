package io.tony.executor.rpc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads a message in the wire format of Protocol Buffers. {@link #next} moves to the next field;
 * one call of another method then reads its value. A value that is not read is skipped by the
 * following {@code next}.
 */
final class WireReader {
  private static final int MAX_FIELD = (1 << 29) - 1; // highest field number of Protocol Buffers

  private final ByteBuffer in;
  private int type = -1; // wire type of the current field's value; -1 if it is already read

  WireReader(byte[] message) {
    this(ByteBuffer.wrap(message));
  }

  private WireReader(ByteBuffer in) {
    this.in = in;
  }

  /** Moves to the next field and returns its number; 0 at the end of the message. */
  int next() throws IOException {
    skip();
    if (!in.hasRemaining()) {
      return 0;
    }
    long tag = varint();
    type = (int) (tag & 7);
    long field = tag >>> 3;
    if (field == 0 || field > MAX_FIELD) {
      throw new IOException("a field has the number " + field);
    }
    return (int) field;
  }

  long number() throws IOException {
    expect(WireWriter.VARINT);
    return varint();
  }

  String text() throws IOException {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  WireReader message() throws IOException {
    return new WireReader(bytes());
  }

  byte[] bytes() throws IOException {
    expect(WireWriter.BYTES);
    return take(varint());
  }

  /** Reads a length-prefixed message that is not the value of a field. */
  WireReader delimited() throws IOException {
    return new WireReader(take(varint()));
  }

  private void expect(int expected) throws IOException {
    if (type != expected) {
      throw new IOException("a field has wire type " + type + " and not " + expected);
    }
    type = -1;
  }

  private void skip() throws IOException {
    int passed = type;
    type = -1;
    switch (passed) {
      case -1 -> {}
      case WireWriter.VARINT -> varint();
      case WireWriter.FIXED64 -> take(Long.BYTES);
      case WireWriter.BYTES -> take(varint());
      case WireWriter.FIXED32 -> take(Integer.BYTES);
      default -> throw new IOException("a field has wire type " + passed);
    }
  }

  private byte[] take(long length) throws IOException {
    if (length < 0 || length > in.remaining()) {
      throw new IOException(length + " bytes are announced, and " + in.remaining() + " are there");
    }
    byte[] bytes = new byte[(int) length];
    in.get(bytes);
    return bytes;
  }

  private long varint() throws IOException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (!in.hasRemaining()) {
        throw new IOException("a message breaks off within a number");
      }
      byte next = in.get();
      if (shift == Long.SIZE - 1 && (next & 0x7E) != 0) {
        break;
      }
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IOException("a number has more than 64 bits");
  }
}
