package io.tony.config.option;

/** A constant of the {@code …Options} classes: one option, or one for each name in its key. */
public sealed interface DeclaredOption permits ConfigOption, RoleOption {
  /** Returns the option itself, or the option whose key contains placeholders in braces. */
  ConfigOption<?> template();
}
