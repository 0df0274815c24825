package io.tony.executor.rpc;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes a message in the wire format of Protocol Buffers. Write the fields in ascending order of
 * their numbers; a field that is not written is unset.
 */
final class WireWriter {
  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int BYTES = 2;
  static final int FIXED32 = 5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(128);

  /** Writes a field of type int32, int64, uint32, uint64 or enum. */
  WireWriter number(int field, long value) {
    varint((long) field << 3 | VARINT);
    varint(value);
    return this;
  }

  /** Writes a field of type sint32. */
  WireWriter signed(int field, int value) {
    return number(field, ((value << 1) ^ (value >> 31)) & 0xFFFF_FFFFL);
  }

  WireWriter flag(int field, boolean value) {
    return number(field, value ? 1 : 0);
  }

  WireWriter real(int field, double value) {
    varint((long) field << 3 | FIXED64);
    byte[] bytes =
        ByteBuffer.allocate(Double.BYTES).order(ByteOrder.LITTLE_ENDIAN).putDouble(value).array();
    out.write(bytes, 0, bytes.length);
    return this;
  }

  WireWriter text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  WireWriter message(int field, WireWriter value) {
    return bytes(field, value.toBytes());
  }

  WireWriter bytes(int field, byte[] value) {
    varint((long) field << 3 | BYTES);
    return delimited(value);
  }

  /** Writes length-prefixed bytes that are not the value of a field. */
  WireWriter delimited(byte[] value) {
    varint(value.length);
    out.write(value, 0, value.length);
    return this;
  }

  byte[] toBytes() {
    return out.toByteArray();
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.write((int) (rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}
