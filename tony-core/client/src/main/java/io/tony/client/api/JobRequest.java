package io.tony.client.api;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A job to be submitted. Immutable.
 *
 * <p>Example:
 *
 * <pre>{@code
 * JobRequest request =
 *     new JobRequest(
 *         Map.of("tony.worker.instances", "2", "executes", "train.py", "src_dir", "src"),
 *         Path.of("/home/me/job"));
 * }</pre>
 *
 * @param options options as in a {@code .job} file: {@code tony.*}, {@code executes}, {@code
 *     src_dir} and the others in docs/configuration.md, which also states the units; values are
 *     texts. The map, its keys and its values must not be null
 * @param folder folder at which relative paths start, and which may contain a {@code tony.xml}; not
 *     null, made absolute
 */
public record JobRequest(Map<String, String> options, Path folder) {
  public JobRequest {
    options = Map.copyOf(options);
    folder = folder.toAbsolutePath();
  }

  /**
   * Returns a request whose folder is the working directory, for example for a job that ships no
   * files.
   */
  public static JobRequest of(Map<String, String> options) {
    return new JobRequest(options, Path.of(""));
  }

  /** Returns a copy in which this option has this value, whether it was set before or not. */
  public JobRequest with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(options);
    more.put(key, value);
    return new JobRequest(more, folder);
  }
}
