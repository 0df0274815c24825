package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Resolves {@code tony.history.location}, the folder of the event logs of a user's jobs. In the
 * option's value, {@code ${user}} stands for the user's name; a relative path is below the user's
 * home folder.
 */
public final class HistoryLocation {
  private static final String USER = "${user}";

  private HistoryLocation() {}

  /** Returns the history folder of the user as whom this process accesses the file system. */
  public static Path ofCurrentUser(FileSystem fs, TonyConfig config) throws IOException {
    return new Path(
        fs.getHomeDirectory(),
        relativePath(config, UserGroupInformation.getCurrentUser().getShortUserName()));
  }

  /**
   * Returns the history folder of a user.
   *
   * @param user short name of the user; {@code *} returns a glob pattern for the folders of all
   *     users
   */
  public static Path of(FileSystem fs, TonyConfig config, String user) throws IOException {
    if (user.equals(UserGroupInformation.getCurrentUser().getShortUserName())) {
      return ofCurrentUser(fs, config);
    }
    Path home = fs.getHomeDirectory();
    Path parent = home.getParent();
    return new Path(parent == null ? home : new Path(parent, user), relativePath(config, user));
  }

  /** Returns true if the event logs of all users are in one folder. */
  public static boolean isShared(TonyConfig config) {
    String location = config.get(ClientOptions.HISTORY_LOCATION);
    return new Path(location).isAbsolute() && !location.contains(USER);
  }

  private static String relativePath(TonyConfig config, String user) {
    return config.get(ClientOptions.HISTORY_LOCATION).replace(USER, user);
  }
}
