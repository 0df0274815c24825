package io.tony.client;

/**
 * One option of a command.
 *
 * @param name name without the leading dash
 * @param value placeholder for the option's value, in capitals; empty if the option takes no value
 * @param meaning description for {@code tony help}, one line
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

  /** Returns the option as the usage line shows it, such as {@code -name VALUE}. */
  @Override
  public String toString() {
    return "-" + name + (takesValue() ? " " + value : "");
  }
}
