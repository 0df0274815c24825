package io.tony.testing;

import io.tony.mini.MiniClusterProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A copy of the job type's folder from this build, installed and configured as an administrator
 * does it.
 *
 * @param jobTypes the folder of Azkaban that contains a folder for each job type
 */
public record InstalledJobType(Path jobTypes) {

  /**
   * Installs the job type, configured for this cluster, in a new or existing folder of job types.
   */
  public static InstalledJobType install(Path jobTypes, MiniClusterProcess cluster)
      throws IOException {
    return install(jobTypes, cluster.property("conf"), cluster.property("classpath"));
  }

  /**
   * Installs the job type, configured for the cluster of this configuration folder and these Hadoop
   * jars.
   *
   * @param hadoopClasspath the jars, joined with ':'
   */
  public static InstalledJobType install(Path jobTypes, String conf, String hadoopClasspath)
      throws IOException {
    InstalledJobType installed = new InstalledJobType(Files.createDirectories(jobTypes));
    FolderCopy.copy(BuildArtifacts.jobType(), jobTypes.resolve("tony"));
    installed.set(
        "tony.client.java.home=" + System.getProperty("java.home"),
        "hadoop.conf.dir=" + conf,
        "tony.client.classpath=" + hadoopClasspath,
        // Clients create no archive of classes: no later client could use it, because each test has
        // another class path.
        "tony.client.cache=none");
    return installed;
  }

  /**
   * Appends lines to the administrator's settings in {@code plugin.properties}. To be called before
   * Azkaban loads the job type.
   */
  public void set(String... lines) throws IOException {
    append("plugin.properties", lines);
  }

  /**
   * Appends lines to the administrator's settings in {@code private.properties}, which jobs cannot
   * read.
   */
  public void setPrivate(String... lines) throws IOException {
    append("private.properties", lines);
  }

  private void append(String file, String... lines) throws IOException {
    Files.write(jobTypes.resolve("tony").resolve(file), List.of(lines), StandardOpenOption.APPEND);
  }
}
