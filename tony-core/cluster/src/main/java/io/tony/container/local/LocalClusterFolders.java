package io.tony.container.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Folders of the jobs that run on this machine without a cluster: they replace HDFS, YARN's state
 * and the disks of YARN's nodes. Only their owner has access.
 *
 * @param root absolute path of the parent folder
 */
public record LocalClusterFolders(Path root) {
  /** Environment variable with the root folder, set for processes of local containers only. */
  private static final String FOLDER_VARIABLE = "TONY_LOCAL_FOLDER";

  /**
   * Key in the Hadoop configuration of this process that stores the root folder; not an option of a
   * job.
   */
  private static final String CONF_KEY = "io.tony.local";

  /**
   * Returns the folders below the user's home folder, or below the folder that the environment
   * variable {@code TONY_LOCAL} names.
   */
  public static LocalClusterFolders of(Map<String, String> environment) {
    String named = environment.getOrDefault("TONY_LOCAL", "");
    Path root =
        named.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".tony", "local", hostName())
            : Path.of(named).toAbsolutePath();
    return new LocalClusterFolders(root);
  }

  /**
   * Returns this machine's name, which is part of the path because several machines may share a
   * home folder.
   */
  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return LocalNode.HOST;
    }
  }

  /**
   * Creates the root folder.
   *
   * @return error message if other users could change or read the folder's content; empty if all is
   *     well
   */
  public Optional<String> create() throws IOException {
    create(root);
    Path real = root.toRealPath();
    boolean owned = Files.getOwner(real).equals(Files.getOwner(Path.of("/proc/self")));
    if (!owned || (mode(real) & 077) != 0) {
      return Optional.of(
          root + " is to be this user's alone: chmod 700 it, or name another folder in TONY_LOCAL");
    }
    Path parent = real.getParent();
    int parentMode = parent == null ? 0 : mode(parent);
    if ((parentMode & 02) != 0 && (parentMode & 01000) == 0) {
      return Optional.of(
          parent
              + " can be written by everybody, who could replace "
              + root
              + ": name another folder in TONY_LOCAL");
    }
    return Optional.empty();
  }

  private static int mode(Path folder) throws IOException {
    return (Integer) Files.getAttribute(folder, "unix:mode");
  }

  /**
   * Returns the folders for a process of a local container; empty if the container runs on a
   * cluster.
   *
   * @param environment environment of the process
   */
  public static Optional<LocalClusterFolders> ofContainer(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(FOLDER_VARIABLE))
        .map(folder -> new LocalClusterFolders(Path.of(folder)));
  }

  /** Returns the environment variables from which {@link #ofContainer} restores these folders. */
  Map<String, String> toEnvironment() {
    return Map.of(FOLDER_VARIABLE, root.toString());
  }

  /**
   * Changes {@code conf} so that Hadoop's clients use this machine instead of the cluster of the
   * configuration files. Paths that name that cluster's file systems explicitly still work.
   */
  public void configure(Configuration conf) {
    conf.set(CONF_KEY, root.toString());
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, "file:///");
    // A file system with checksums hides the latest written bytes from readers.
    conf.setClass("fs.file.impl", RawLocalFileSystem.class, FileSystem.class);
    conf.set(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, "simple");
    conf.setBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    conf.setBoolean(YarnConfiguration.TIMELINE_SERVICE_ENABLED, false);
    conf.unset(YarnConfiguration.RM_APPLICATION_HTTPS_POLICY);
    conf.set(
        YarnConfiguration.YARN_APPLICATION_CLASSPATH,
        System.getProperty("java.class.path").replace(File.pathSeparatorChar, ','));
  }

  /** Returns true if {@link #configure} was called with this configuration. */
  public static boolean isConfiguredIn(Configuration conf) {
    return conf.get(CONF_KEY) != null;
  }

  /**
   * Returns the default folder for checkpoints of local jobs; empty if {@code conf} is not
   * configured for local jobs.
   */
  public static Optional<String> checkpoints(Configuration conf) {
    return Optional.ofNullable(conf.get(CONF_KEY)).map(root -> root + "/checkpoints");
  }

  public Path staging() {
    return root.resolve("staging");
  }

  public Path history() {
    return root.resolve("history");
  }

  public Path cache() {
    return root.resolve("cache");
  }

  /** Returns the parent of the folders that hold the state of each application. */
  public Path applications() {
    return root.resolve("applications");
  }

  /**
   * Returns the folder of the logs of an application's containers; it is kept after the
   * application's end.
   */
  public Path logs(String application) {
    return root.resolve("logs").resolve(application);
  }

  /**
   * Returns the folder of the working directories of an application's containers; it is deleted at
   * the application's end.
   */
  public Path work(String application) {
    return root.resolve("work").resolve(application);
  }

  static boolean isApplication(String name) {
    return name.matches("application_[0-9]+_[0-9]+");
  }

  /** Returns true if one of the arguments is the id of an application that ran on this machine. */
  public boolean hasApplication(List<String> arguments) {
    return arguments.stream()
        .filter(LocalClusterFolders::isApplication)
        .anyMatch(argument -> Files.isDirectory(applications().resolve(argument)));
  }

  /** Deletes a folder recursively, without following links. */
  static void delete(Path folder) {
    FileUtil.fullyDelete(folder.toFile());
  }

  /** Creates a folder and its missing parents; only their owner has access. */
  static Path create(Path folder) throws IOException {
    return Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }
}
