package io.tony.config.option;

/** A constant of the {@code …Options} classes: one option, or one for each name in its key. */
public sealed interface DeclaredOption permits ConfigOption, RoleOption {
  /** The option itself; with the braces still in its key where that has free parts. */
  ConfigOption<?> template();
}
