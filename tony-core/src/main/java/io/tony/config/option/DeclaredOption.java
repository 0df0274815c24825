package io.tony.config.option;

/**
 * An option as a constant of the {@code …Options} classes declares it: a single option, or one for
 * each name that can replace a placeholder in the key.
 */
public sealed interface DeclaredOption permits ConfigOption, RoleOption {
  /**
   * Returns the option itself; for a {@link RoleOption}, the option whose key contains the
   * placeholders.
   */
  ConfigOption<?> template();
}
