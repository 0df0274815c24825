package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Where the event logs of a user's jobs are ({@code tony.history.location}). In the option, {@code
 * ${user}} stands for the user; a relative path is below the user's home.
 */
public final class HistoryLocation {
  private static final String USER = "${user}";

  private HistoryLocation() {}

  /** Of the user that this process acts as. */
  public static Path ofCurrentUser(FileSystem fs, TonyConfig config) throws IOException {
    return new Path(
        fs.getHomeDirectory(),
        relativePath(config, UserGroupInformation.getCurrentUser().getShortUserName()));
  }

  /** Of any user, by the short name; {@code *} is for the pattern of all of them. */
  public static Path of(FileSystem fs, TonyConfig config, String user) throws IOException {
    if (user.equals(UserGroupInformation.getCurrentUser().getShortUserName())) {
      return ofCurrentUser(fs, config);
    }
    Path home = fs.getHomeDirectory();
    Path parent = home.getParent();
    return new Path(parent == null ? home : new Path(parent, user), relativePath(config, user));
  }

  /** Whether one folder holds the logs of several users. */
  public static boolean isShared(TonyConfig config) {
    String location = config.get(ClientOptions.HISTORY_LOCATION);
    return new Path(location).isAbsolute() && !location.contains(USER);
  }

  private static String relativePath(TonyConfig config, String user) {
    return config.get(ClientOptions.HISTORY_LOCATION).replace(USER, user);
  }
}
