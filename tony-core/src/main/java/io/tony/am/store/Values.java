package io.tony.am.store;

import io.tony.am.serve.Refusal;
import java.util.HashMap;
import java.util.Map;

/** The keys of one store, within its caps. */
final class Values {
  /** What a key costs beside its characters and the bytes of its value. */
  private static final int ENTRY_BYTES = 128;

  private final StoreLimits limits;
  private final Map<String, byte[]> values = new HashMap<>();
  private int others;
  private long bytes;

  Values(StoreLimits limits) {
    this.limits = limits;
  }

  /** Null where there is no such key. */
  byte[] get(String key) {
    return values.get(key);
  }

  /**
   * Keeps a value.
   *
   * @throws Refusal when it is too large, or the store is full
   */
  void put(String key, byte[] value) {
    checkValue(value.length);
    byte[] old = values.get(key);
    if (old == null) {
      checkKeys();
    }
    charge(cost(key, value) - (old == null ? 0 : cost(key, old)));
    values.put(key, value);
  }

  void remove(String key) {
    byte[] old = values.remove(key);
    bytes -= old == null ? 0 : cost(key, old);
  }

  /** The store keeps something else under a key of its own. */
  void addOther(String key) {
    checkKeys();
    charge(cost(key, new byte[0]));
    others++;
  }

  /** It keeps one more name with it. */
  void addName(String name) {
    charge(cost(name, new byte[0]));
  }

  /** Throws a {@link Refusal} for a value that is too large, before it is here. */
  void checkValue(long length) {
    if (length > limits.valueBytes()) {
      throw new Refusal(
          413,
          "bytes of a value",
          "a value of " + length + " bytes is above " + limits.valueBytes());
    }
  }

  private void checkKeys() {
    if (values.size() + others >= limits.keys()) {
      throw new Refusal(507, "keys", "the store is full: it holds " + limits.keys() + " keys");
    }
  }

  private void charge(long more) {
    if (bytes + more > limits.totalBytes()) {
      throw new Refusal(
          507,
          "bytes of all keys",
          "the store is full: "
              + limits.totalBytes()
              + " bytes for all keys (a third of the heap at most: tony.am.memory)");
    }
    bytes += more;
  }

  private static long cost(String key, byte[] value) {
    return ENTRY_BYTES + 2L * key.length() + value.length;
  }
}
