package io.tony.config.option;

/**
 * What a constant of the {@code …Options} classes declares: a single option, or a {@link
 * RoleOption}, which stands for one option per role or per other name that replaces a placeholder
 * in its key.
 */
public sealed interface DeclaredOption permits ConfigOption, RoleOption {
  /**
   * Returns the option as it was declared: a {@link ConfigOption} returns itself; a {@link
   * RoleOption} returns an option whose key still contains the placeholders.
   */
  ConfigOption<?> template();
}
