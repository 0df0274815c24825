package io.tony.am.rendezvous;

import io.tony.am.http.RequestRejectedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys and values of one store, within the store's limits. Not thread-safe. */
final class StoredValues {
  /**
   * Memory that each entry takes in bytes, in addition to the characters of its key and the bytes
   * of its value.
   */
  private static final int ENTRY_BYTES = 128;

  private final StoreLimits limits;
  private final Map<String, byte[]> values = new HashMap<>();
  private int otherKeyCount;
  private long bytes;

  StoredValues(StoreLimits limits) {
    this.limits = limits;
  }

  /** Returns the value; null if there is no such key. */
  byte @Nullable [] get(String key) {
    return values.get(key);
  }

  /**
   * Stores a value under the key.
   *
   * @throws RequestRejectedException if the value is too large or the store is full
   */
  void put(String key, byte[] value) {
    checkValue(value.length);
    byte[] old = values.get(key);
    if (old == null) {
      checkKeys();
    }
    reserve(cost(key, value) - (old == null ? 0 : cost(key, old)));
    values.put(key, value);
  }

  void remove(String key) {
    byte[] old = values.remove(key);
    bytes -= old == null ? 0 : cost(key, old);
  }

  /**
   * Counts a key of the store whose value is not kept here, such as the name of a barrier.
   *
   * @throws RequestRejectedException if the store is full
   */
  void addOtherKey(String key) {
    checkKeys();
    reserve(cost(key, new byte[0]));
    otherKeyCount++;
  }

  /**
   * Counts the memory of a name that the store keeps, such as that of a barrier's member.
   *
   * @throws RequestRejectedException if the store is full
   */
  void addName(String name) {
    reserve(cost(name, new byte[0]));
  }

  /**
   * Checks the size of a value before its bytes are received.
   *
   * @throws RequestRejectedException if the value is too large
   */
  void checkValue(long length) {
    if (length > limits.maxValueBytes()) {
      throw new RequestRejectedException(
          413,
          "bytes of a value",
          "a value of " + length + " bytes is above " + limits.maxValueBytes());
    }
  }

  private void checkKeys() {
    if (values.size() + otherKeyCount >= limits.maxKeys()) {
      throw new RequestRejectedException(
          507, "keys", "the store is full: it holds " + limits.maxKeys() + " keys");
    }
  }

  private void reserve(long more) {
    if (bytes + more > limits.maxTotalBytes()) {
      throw new RequestRejectedException(
          507,
          "bytes of all keys",
          "the store is full: "
              + limits.maxTotalBytes()
              + " bytes for all keys (a third of the heap at most: tony.am.memory)");
    }
    bytes += more;
  }

  private static long cost(String key, byte[] value) {
    return ENTRY_BYTES + 2L * key.length() + value.length;
  }
}
