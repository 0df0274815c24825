package io.tony.config.option;

import java.util.Objects;

/**
 * Thrown if a configuration cannot be used. The message names the setting, its value and the
 * remedy.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }
}
