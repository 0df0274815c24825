package io.tony.client.api;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A job to be submitted.
 *
 * @param options as in a {@code .job} file: {@code tony.*}, {@code executes}, {@code src_dir} and
 *     the others of docs/configuration.md, with the values as text
 * @param folder from which its relative paths start, and in which a {@code tony.xml} may lie
 */
public record JobRequest(Map<String, String> options, Path folder) {
  public JobRequest {
    options = Map.copyOf(options);
    folder = folder.toAbsolutePath();
  }

  /** One without files of its own. */
  public static JobRequest of(Map<String, String> options) {
    return new JobRequest(options, Path.of(""));
  }

  /** The same with one more option, or another value of it. */
  public JobRequest with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(options);
    more.put(key, value);
    return new JobRequest(more, folder);
  }
}
