package io.tony.azkaban;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * What the client last said of its job, in the file that it rewrites atomically. Everything is
 * optional: at first there is no file at all.
 */
final class ClientStatus {

  private static final Pattern APPLICATION_ID = Pattern.compile("application_[0-9]+_[0-9]+");

  static final ClientStatus NONE = new ClientStatus(new Properties());

  private final Properties properties;

  private ClientStatus(Properties properties) {
    this.properties = properties;
  }

  /** Reads the file; nothing where it is missing or cannot be read. */
  static Optional<ClientStatus> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
    return Optional.of(new ClientStatus(properties));
  }

  /** The YARN application's id; written before it is submitted, so without one nothing was. */
  Optional<String> applicationId() {
    return id("application.id");
  }

  /** The same, or the id of an earlier one that the client is ending before it submits its own. */
  Optional<String> applicationToEnd() {
    Optional<String> own = applicationId();
    return own.isPresent() ? own : id("ending.id");
  }

  private Optional<String> id(String key) {
    return Optional.ofNullable(properties.getProperty(key))
        .map(String::trim)
        .filter(id -> APPLICATION_ID.matcher(id).matches());
  }

  /** How far the job is: SUCCEEDED, FAILED and KILLED are what the client was told of its end. */
  Optional<String> state() {
    return Optional.ofNullable(properties.getProperty("state"));
  }

  /** Whether nothing was submitted, or what was submitted has ended. */
  boolean isFinished() {
    return !applicationToEnd().isPresent()
        || state().filter(state -> state.matches("SUCCEEDED|FAILED|KILLED")).isPresent();
  }

  /** How long the client may take to end the job in order; empty when it has not said. */
  OptionalLong stopLimitMillis() {
    String text = properties.getProperty("stop.limit.ms", "");
    return text.matches("[0-9]{1,15}")
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }

  /** The part of the work that is done, from 0 to 1; empty when the client does not know. */
  OptionalDouble progress() {
    String text = properties.getProperty("progress");
    try {
      double progress = text == null ? Double.NaN : Double.parseDouble(text);
      return Double.isNaN(progress)
          ? OptionalDouble.empty()
          : OptionalDouble.of(Math.max(0, Math.min(1, progress)));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }
}
