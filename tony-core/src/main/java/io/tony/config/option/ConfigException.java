package io.tony.config.option;

/**
 * Thrown for a configuration that cannot be used. The message names the object, its value and the
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
}
