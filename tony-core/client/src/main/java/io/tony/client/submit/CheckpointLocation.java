package io.tony.client.submit;

import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.container.local.LocalClusterFolders;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines the checkpoint folder of a job. Depending on the configured scope, the folder is
 * shared by all attempts of the job in one Azkaban execution, or by all executions of one step of a
 * flow.
 */
public final class CheckpointLocation {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointLocation.class);

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0700);

  private CheckpointLocation() {}

  /**
   * Returns the checkpoint folder that the user configured. If none is configured, returns the URI
   * of a folder below the user's home; in Azkaban the folder is named after the job, otherwise
   * after {@code application}.
   */
  static String uri(FileSystem fs, TonyConfig config, String application) {
    return configuredUri(config)
        .orElseGet(
            () -> uri(fs, identity(config).map(JobIdentity::folderName).orElse(application)));
  }

  /** Returns whether the user configured the checkpoint folder. */
  static boolean isConfigured(TonyConfig config) {
    return configuredUri(config).isPresent();
  }

  private static Optional<String> configuredUri(TonyConfig config) {
    return config.find(JobOptions.CHECKPOINT_DIR);
  }

  /**
   * Returns a checkpoint folder that only this execution uses, even if the configured scope is the
   * step. The job must run in Azkaban.
   */
  static String executionUri(FileSystem fs, TonyConfig config) {
    return uri(fs, JobIdentity.of(config).orElseThrow().folderName());
  }

  /**
   * Returns the URI of the checkpoint folder with this name, in the folder that contains all
   * checkpoints of the user.
   */
  public static String uri(FileSystem fs, String name) {
    return new Path(rootFolder(fs), name).toString();
  }

  private static Path rootFolder(FileSystem fs) {
    return LocalClusterFolders.checkpoints(fs.getConf())
        .map(Path::new)
        .orElseGet(() -> new Path(fs.getHomeDirectory(), ".tony/checkpoints"));
  }

  /**
   * Removes other users' access to the folder that contains all checkpoints of the user, if {@code
   * folder} is in it; otherwise does nothing. Does not change the permissions of the owner and the
   * group. A failure is only logged.
   */
  static void restrictAccess(FileSystem fs, String folder) {
    Path root = fs.makeQualified(rootFolder(fs));
    if (!folder.startsWith(root + Path.SEPARATOR)) {
      return;
    }
    try {
      short permission = createOrReadPermission(fs, root).toShort();
      if ((permission & 07) != 0) {
        fs.setPermission(root, new FsPermission((short) (permission & 0770)));
      }
    } catch (IOException e) {
      LOG.warn("Other users may be able to read {}: {}", root, e.toString());
    }
  }

  private static FsPermission createOrReadPermission(FileSystem fs, Path root) throws IOException {
    try {
      return fs.getFileStatus(root).getPermission();
    } catch (FileNotFoundException e) {
      fs.mkdirs(root, OWNER_ONLY);
      // The permissions with which the folder was created: the umask may have removed some of them,
      // but added none.
      return OWNER_ONLY;
    }
  }

  private static Optional<JobIdentity> identity(TonyConfig config) {
    return switch (config.get(CheckpointOptions.SCOPE)) {
      case EXECUTION -> JobIdentity.of(config);
      case STEP -> JobIdentity.ofStep(config);
    };
  }
}
