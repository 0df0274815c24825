package io.tony.config.job;

import io.tony.config.TonyConfig;
import io.tony.config.declared.Registry;
import io.tony.config.declared.RemovedKeys;
import io.tony.config.option.ConfigException;
import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.Support;
import java.util.Objects;
import java.util.Optional;

/**
 * Values of a configuration that can be read without exceptions, so that a reader can go on after
 * an error. {@link #check} reports every malformed or unsupported value once; {@link #get} and
 * {@link #find} then return the option's default instead of such a value.
 */
final class CheckedValues {
  private final TonyConfig config;
  private final Problems problems;

  private CheckedValues(TonyConfig config, Problems problems) {
    this.config = config;
    this.problems = problems;
  }

  /**
   * Reports all malformed and unsupported values to {@code problems}, and returns the values of the
   * configuration.
   */
  static CheckedValues check(TonyConfig config, Problems problems) {
    CheckedValues values = new CheckedValues(config, problems);
    for (String key : config.asMap().keySet()) {
      if (RemovedKeys.find(key).isEmpty()) {
        Registry.lookup(key).ifPresent(values::check);
      }
    }
    return values;
  }

  private void check(ConfigOption<?> option) {
    Object value;
    try {
      value = config.find(option).orElseThrow();
    } catch (ConfigException e) {
      problems.addError(e.getMessage());
      return;
    }
    boolean isDefault =
        Objects.equals(value, option.defaultValue())
            || config.asMap().getOrDefault(option.key(), "").isBlank();
    if (isDefault || option.support() == Support.FULL) {
      return;
    }
    if (option.support() == Support.REFUSED) {
      problems.addError(
          config.describe(option.key()) + " is not supported by this version: " + option.remark());
    } else {
      problems.addWarning(config.describe(option.key()) + " has no effect: " + option.remark());
    }
  }

  TonyConfig config() {
    return config;
  }

  /**
   * Returns the option's value, or its default if the option is not set or {@link #check} reported
   * its value. The option must have a default.
   */
  <T> T get(ConfigOption<T> option) {
    return find(option).orElseThrow();
  }

  /**
   * Returns the option's value, or its default if the option is not set or {@link #check} reported
   * its value; empty if there is no default either.
   */
  <T> Optional<T> find(ConfigOption<T> option) {
    try {
      return config.find(option);
    } catch (ConfigException e) {
      // Check has already reported the value, so the job will be rejected, whatever is returned
      // here.
      return Optional.ofNullable(option.defaultValue());
    }
  }
}
