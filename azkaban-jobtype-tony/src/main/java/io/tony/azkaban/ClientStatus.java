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
 * The status that the client last wrote about its job, in a file that the client replaces
 * atomically. Each value may be missing; before the client's first write there is no file.
 */
final class ClientStatus {

  private static final Pattern APPLICATION_ID = Pattern.compile("application_[0-9]+_[0-9]+");

  static final ClientStatus NONE = new ClientStatus(new Properties());

  private final Properties properties;

  private ClientStatus(Properties properties) {
    this.properties = properties;
  }

  /** Reads the status file; empty if it is missing or unreadable. */
  static Optional<ClientStatus> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
    return Optional.of(new ClientStatus(properties));
  }

  /**
   * Returns the id of the YARN application; empty if nothing was submitted, because the client
   * writes the id before it submits the application.
   */
  Optional<String> applicationId() {
    return id("application.id");
  }

  /**
   * Returns {@link #applicationId}. If that is empty, returns the id of an application of an
   * earlier attempt that the client is currently ending, before it submits its own application.
   */
  Optional<String> applicationToEnd() {
    Optional<String> own = applicationId();
    return own.isPresent() ? own : id("ending.id");
  }

  private Optional<String> id(String key) {
    return Optional.ofNullable(properties.getProperty(key))
        .map(String::trim)
        .filter(id -> APPLICATION_ID.matcher(id).matches());
  }

  /**
   * Returns the job's state. The client writes SUCCEEDED, FAILED or KILLED only after YARN or the
   * ApplicationMaster has reported the application's end.
   */
  Optional<String> state() {
    return Optional.ofNullable(properties.getProperty("state"));
  }

  /** Returns true if there is no {@link #applicationToEnd}, or if the {@link #state} is final. */
  boolean isFinished() {
    return !applicationToEnd().isPresent()
        || state().filter(state -> state.matches("SUCCEEDED|FAILED|KILLED")).isPresent();
  }

  /**
   * Returns how long the client may take to stop the job, in milliseconds; empty if the client has
   * not reported a limit.
   */
  OptionalLong stopLimitMillis() {
    String text = properties.getProperty("stop.limit.ms", "");
    return text.matches("[0-9]{1,15}")
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }

  /** Returns the completed fraction of the job's work, from 0 to 1; empty if unknown. */
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
