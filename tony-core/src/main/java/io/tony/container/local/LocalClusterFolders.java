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
 * Where this machine keeps the jobs that it runs itself: what HDFS, YARN and the disks of the nodes
 * keep on a cluster. All of it is its owner's alone.
 *
 * @param root absolute
 */
public record LocalClusterFolders(Path root) {
  /** By which a container's process knows that it runs here; a folder's path. */
  private static final String FOLDER_VARIABLE = "TONY_LOCAL_FOLDER";

  /** No option of a job. */
  private static final String CONF_KEY = "io.tony.local";

  /** Below the home of this user, unless the environment names another place. */
  public static LocalClusterFolders of(Map<String, String> environment) {
    String named = environment.getOrDefault("TONY_LOCAL", "");
    Path root =
        named.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".tony", "local", hostName())
            : Path.of(named).toAbsolutePath();
    return new LocalClusterFolders(root);
  }

  /** A home may be that of several machines. */
  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return LocalNode.HOST;
    }
  }

  /**
   * Makes the folder.
   *
   * @return what is wrong with it, where somebody else could change what is in it, or read it
   */
  public Optional<String> create() throws IOException {
    create(root);
    Path real = root.toRealPath();
    boolean owned = Files.getOwner(real).equals(Files.getOwner(Path.of("/proc/self")));
    if (!owned || (mode(real) & 077) != 0) {
      return Optional.of(
          root + " is to be this user's alone: chmod 700 it, or name another folder in TONY_LOCAL");
    }
    int parentMode = mode(real.getParent());
    if ((parentMode & 02) != 0 && (parentMode & 01000) == 0) {
      return Optional.of(
          real.getParent()
              + " can be written by everybody, who could replace "
              + root
              + ": name another folder in TONY_LOCAL");
    }
    return Optional.empty();
  }

  private static int mode(Path folder) throws IOException {
    return (Integer) Files.getAttribute(folder, "unix:mode");
  }

  /** In a container: nothing where a cluster runs it. */
  public static Optional<LocalClusterFolders> ofContainer(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(FOLDER_VARIABLE))
        .map(folder -> new LocalClusterFolders(Path.of(folder)));
  }

  /** What a container's environment has of them. */
  Map<String, String> toEnvironment() {
    return Map.of(FOLDER_VARIABLE, root.toString());
  }

  /**
   * Has Hadoop's clients of this process use this machine, whatever cluster its files describe:
   * jobs' own paths of that cluster's file systems lead there all the same.
   */
  public void configure(Configuration conf) {
    conf.set(CONF_KEY, root.toString());
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, "file:///");
    // Without checksums, which hold back what was written last from those who read.
    conf.setClass("fs.file.impl", RawLocalFileSystem.class, FileSystem.class);
    conf.set(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, "simple");
    conf.setBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    conf.setBoolean(YarnConfiguration.TIMELINE_SERVICE_ENABLED, false);
    conf.unset(YarnConfiguration.RM_APPLICATION_HTTPS_POLICY);
    conf.set(
        YarnConfiguration.YARN_APPLICATION_CLASSPATH,
        System.getProperty("java.class.path").replace(File.pathSeparatorChar, ','));
  }

  /** Whether that was done. */
  public static boolean isConfiguredIn(Configuration conf) {
    return conf.get(CONF_KEY) != null;
  }

  /** Where jobs keep checkpoints that name no folder; nothing where a cluster runs them. */
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

  /** What is known of applications, each in a folder of its name. */
  public Path applications() {
    return root.resolve("applications");
  }

  /** What containers of an application write to their logs; it stays. */
  public Path logs(String application) {
    return root.resolve("logs").resolve(application);
  }

  /** The working directories of an application's containers; it goes with the application. */
  public Path work(String application) {
    return root.resolve("work").resolve(application);
  }

  static boolean isApplication(String name) {
    return name.matches("application_[0-9]+_[0-9]+");
  }

  /** Whether one of these words is an application that was run here. */
  public boolean hasApplication(List<String> arguments) {
    return arguments.stream()
        .filter(LocalClusterFolders::isApplication)
        .anyMatch(argument -> Files.isDirectory(applications().resolve(argument)));
  }

  /** Deletes what is there, and follows no link. */
  static void delete(Path folder) {
    FileUtil.fullyDelete(folder.toFile());
  }

  /** Makes a folder, and those above it, readable by their owner only. */
  static Path create(Path folder) throws IOException {
    return Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }
}
