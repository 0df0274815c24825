package io.tony.client.submit;

import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.container.local.LocalFolders;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Where a job keeps its checkpoints: the same place for every attempt of one job of one execution,
 * or for every execution of one step of a flow.
 */
public final class Checkpoints {
  private Checkpoints() {}

  /** The folder that the user named, or one below the user's home; a URI with its file system. */
  static String folder(FileSystem fs, TonyConfig config, String application) {
    return config
        .find(JobOptions.CHECKPOINT_DIR)
        .filter(folder -> !folder.isBlank())
        .orElseGet(
            () -> folder(fs, owner(config).map(JobIdentity::folderName).orElse(application)));
  }

  /** The one of that name below the user's home; a URI with its file system. */
  public static String folder(FileSystem fs, String name) {
    Path all =
        LocalFolders.checkpoints(fs.getConf())
            .map(Path::new)
            .orElseGet(() -> new Path(fs.getHomeDirectory(), ".tony/checkpoints"));
    return new Path(all, name).toString();
  }

  private static Optional<JobIdentity> owner(TonyConfig config) {
    return switch (config.get(CheckpointOptions.SCOPE)) {
      case EXECUTION -> JobIdentity.of(config);
      case STEP -> JobIdentity.ofStep(config);
    };
  }
}
