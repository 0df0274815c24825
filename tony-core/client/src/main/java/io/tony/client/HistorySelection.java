package io.tony.client;

import io.tony.client.input.InvalidJobException;
import io.tony.config.TonyConfig;
import io.tony.container.HistoryLocation;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Selects the jobs of one user or of all users from the history, and indexes them.
 *
 * @param pattern glob pattern of the folders that contain the jobs' event logs
 * @param user name of the user; empty for all users
 * @param shared whether these folders also contain event logs of other users' jobs
 */
record HistorySelection(Path pattern, String user, boolean shared) {
  private static final Logger LOG = LoggerFactory.getLogger(HistorySelection.class);

  /** Value of the option {@code -user} that stands for all users. */
  static final String ALL_USERS = "all";

  private static final int READER_COUNT = 8;

  /**
   * Returns the selection for a value of the option {@code -user}.
   *
   * @param requestedUser name of the user, {@link #ALL_USERS}, or empty for the current user
   * @throws InvalidJobException if {@code requestedUser} is not the name of one user
   */
  static HistorySelection of(FileSystem fs, TonyConfig config, String requestedUser)
      throws InvalidJobException, IOException {
    if (!requestedUser.matches("[^/*?\\[\\]{}\\s]*")) {
      throw new InvalidJobException(
          List.of("-user is " + requestedUser + "; it is the name of one user, or " + ALL_USERS));
    }
    String currentUser = UserGroupInformation.getCurrentUser().getShortUserName();
    String user =
        requestedUser.isEmpty()
            ? currentUser
            : requestedUser.equals(ALL_USERS) ? "" : requestedUser;
    Path pattern = HistoryLocation.of(fs, config, user.isEmpty() ? "*" : user);
    return new HistorySelection(pattern, user, HistoryLocation.isShared(config));
  }

  /**
   * Returns the filter, restricted to the jobs of {@link #user} if the folders also contain jobs of
   * other users.
   */
  JobFilter restrictToUser(JobFilter filter) {
    return shared ? filter.withUser(user) : filter;
  }

  /**
   * Opens an index of the jobs in the selected folders that the current user may read. It has the
   * jobs that earlier commands saved; {@code fs} is not read yet. In shared folders, the jobs
   * include those of other users: see {@link #restrictToUser}.
   *
   * @param cache the current user's cache folder, in which the index is saved for later commands;
   *     empty to save no index
   */
  HistoryIndex index(FileSystem fs, Optional<java.nio.file.Path> cache)
      throws InvalidJobException, IOException {
    return index(fs, List.of(pattern.toString()), Optional.empty(), cache);
  }

  /**
   * Opens an index of the jobs in the given folders. It has the jobs that earlier commands saved;
   * {@code fs} is not read yet.
   *
   * @param patterns glob patterns of the folders
   * @param file file in which the index is saved; empty for a file in {@code cache}
   * @param cache folder in which the index is saved if no {@code file} is given; if both are empty,
   *     the index is not saved
   * @throws InvalidJobException if a folder is on another file system than {@code fs}
   */
  static HistoryIndex index(
      FileSystem fs,
      List<String> patterns,
      Optional<java.nio.file.Path> file,
      Optional<java.nio.file.Path> cache)
      throws InvalidJobException, IOException {
    for (String pattern : patterns) {
      requireOnFileSystem(fs, pattern);
    }
    Optional<java.nio.file.Path> indexFile =
        file.isEmpty() && cache.isPresent() ? cacheFile(fs, patterns, cache.get()) : file;
    return new HistoryIndex(
        fs, patterns, indexFile.orElse(null), READER_COUNT, InstantSource.system());
  }

  private static void requireOnFileSystem(FileSystem fs, String pattern)
      throws InvalidJobException {
    try {
      fs.makeQualified(new Path(pattern));
    } catch (IllegalArgumentException e) {
      throw new InvalidJobException(
          List.of(
              ("the history is read from %s (fs.defaultFS), and the folder %s is not there (%s);"
                      + " name one with -folders or tony.history.location")
                  .formatted(fs.getUri(), pattern, e.getMessage())));
    }
  }

  /**
   * Returns the file in the cache folder in which the index of these folders is saved; empty if the
   * cache folder cannot be written.
   */
  private static Optional<java.nio.file.Path> cacheFile(
      FileSystem fs, List<String> patterns, java.nio.file.Path cache) throws IOException {
    String key =
        fs.getUri()
            + " "
            + String.join(",", patterns)
            + " "
            + UserGroupInformation.getCurrentUser();
    String name = UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8)).toString();
    java.nio.file.Path folder = cache.resolve("history");
    try {
      Files.createDirectories(folder);
      return Files.isWritable(folder)
          ? Optional.of(folder.resolve(name + ".jsonl"))
          : Optional.empty();
    } catch (IOException e) {
      LOG.info("Every log is read: {} cannot be made ({})", folder, e.toString());
      return Optional.empty();
    }
  }
}
