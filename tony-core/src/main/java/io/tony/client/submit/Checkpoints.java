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
    return named(config)
        .orElseGet(
            () -> folder(fs, owner(config).map(JobIdentity::folderName).orElse(application)));
  }

  /** Whether the user named the folder. */
  static boolean isNamed(TonyConfig config) {
    return named(config).isPresent();
  }

  private static Optional<String> named(TonyConfig config) {
    return config.find(JobOptions.CHECKPOINT_DIR).filter(folder -> !folder.isBlank());
  }

  /** The one that no other execution of the step has, whatever their scope; for Azkaban's jobs. */
  static String ofExecution(FileSystem fs, TonyConfig config) {
    return folder(fs, JobIdentity.of(config).orElseThrow().folderName());
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
