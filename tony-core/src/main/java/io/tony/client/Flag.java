package io.tony.client;

/**
 * One option of a command.
 *
 * @param name without the leading dash
 * @param value placeholder of the option's value, in capitals; empty if the option takes no value
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

  /** Returns the option as the user types it, with its placeholder. */
  @Override
  public String toString() {
    return "-" + name + (takesValue() ? " " + value : "");
  }
}
