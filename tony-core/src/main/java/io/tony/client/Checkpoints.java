package io.tony.client;

import io.tony.config.AzkabanOptions;
import io.tony.config.JobOptions;
import io.tony.config.TonyConfig;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Where a job keeps its checkpoints: the same place for every attempt of one job of one execution.
 */
final class Checkpoints {
  private Checkpoints() {}

  /** The folder that the user named, or one below the user's home; a URI with its file system. */
  static String folder(FileSystem fs, TonyConfig config, String application) {
    return config
        .find(JobOptions.CHECKPOINT_DIR)
        .filter(folder -> !folder.isBlank())
        .orElseGet(
            () -> {
              String name =
                  AzkabanOptions.identity().stream()
                      .map(option -> config.find(option).orElse(""))
                      .filter(part -> !part.isBlank())
                      .map(part -> part.replaceAll("[^A-Za-z0-9._-]", "_"))
                      .collect(Collectors.joining("."));
              return new Path(
                      new Path(fs.getHomeDirectory(), ".tony/checkpoints"),
                      name.isEmpty() ? application : name)
                  .toString();
            });
  }
}
