package io.tony.client;

/**
 * An option of the command line.
 *
 * @param name without its dash
 * @param value what it takes, in capitals; empty for one that takes none
 * @param meaning one line for {@code tony help}
 */
record Flag(String name, String value, String meaning) {
  static Flag of(String name, String meaning) {
    return new Flag(name, "", meaning);
  }

  static Flag of(String name, String value, String meaning) {
    return new Flag(name, value, meaning);
  }

  boolean takesValue() {
    return !value.isEmpty();
  }

  /** As it is written. */
  @Override
  public String toString() {
    return "-" + name + (takesValue() ? " " + value : "");
  }
}
