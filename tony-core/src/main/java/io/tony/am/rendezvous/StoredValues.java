package io.tony.am.rendezvous;

import io.tony.am.http.RequestRejectedException;
import java.util.HashMap;
import java.util.Map;

/** The keys of one store, within its caps. */
final class StoredValues {
  /** What a key costs beside its characters and the bytes of its value. */
  private static final int ENTRY_BYTES = 128;

  private final StoreLimits limits;
  private final Map<String, byte[]> values = new HashMap<>();
  private int otherKeyCount;
  private long bytes;

  StoredValues(StoreLimits limits) {
    this.limits = limits;
  }

  /** Null where there is no such key. */
  byte[] get(String key) {
    return values.get(key);
  }

  /**
   * Keeps a value.
   *
   * @throws RequestRejectedException when it is too large, or the store is full
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

  /** The store keeps something else under a key of its own. */
  void addOtherKey(String key) {
    checkKeys();
    reserve(cost(key, new byte[0]));
    otherKeyCount++;
  }

  /** It keeps one more name with it. */
  void addName(String name) {
    reserve(cost(name, new byte[0]));
  }

  /** Throws a {@link RequestRejectedException} for a value that is too large, before it is here. */
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
