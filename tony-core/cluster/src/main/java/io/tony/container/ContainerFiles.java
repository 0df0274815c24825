package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import io.tony.model.FileSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.apache.hadoop.yarn.api.records.URL;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Collects the files that YARN places into a container's working directory, and builds the
 * container's class path from the added jars.
 */
public final class ContainerFiles {
  /** Names without characters that a shell interprets between double quotes. */
  private static final Pattern PLAIN = Pattern.compile("[^\"$`\\\\\\p{Cntrl}]+");

  private final Configuration conf;
  private final Map<String, LocalResource> files = new LinkedHashMap<>();
  private final List<String> jars = new ArrayList<>();

  public ContainerFiles(Configuration conf) {
    this.conf = conf;
  }

  /** Returns an independent copy. The copied files are not looked up in the file system again. */
  public ContainerFiles copy() {
    ContainerFiles copy = new ContainerFiles(conf);
    copy.files.putAll(files);
    copy.jars.addAll(jars);
    return copy;
  }

  /**
   * Adds a file of the cluster's file system, under {@code name} in the container.
   *
   * @throws IOException if the source does not exist, if its own name has characters that YARN's
   *     shell script does not preserve, or if {@code name} is taken by another file
   */
  public ContainerFiles addFile(Path source, String name) throws IOException {
    return add(source, name, LocalResourceType.FILE, LocalResourceVisibility.APPLICATION);
  }

  /**
   * Adds a file or archive of the job, whose source must already be in the cluster's file system.
   *
   * @throws IOException for the same reasons as {@link #addFile(Path, String)}
   */
  public ContainerFiles addFile(FileSpec spec) throws IOException {
    LocalResourceType type = spec.archive() ? LocalResourceType.ARCHIVE : LocalResourceType.FILE;
    return add(new Path(spec.source()), spec.name(), type, LocalResourceVisibility.APPLICATION);
  }

  /**
   * Adds TonY's own jar to the files, and to the class path before the cluster's classes. Nodes
   * keep the jar for later jobs of the user, unless it lies in the job's own staging folder.
   */
  public ContainerFiles addTonyJar(Path source, Staging staging) throws IOException {
    jars.add(Staging.JAR);
    return add(
        source,
        Staging.JAR,
        LocalResourceType.FILE,
        source.equals(staging.jar())
            ? LocalResourceVisibility.APPLICATION
            : LocalResourceVisibility.PRIVATE);
  }

  /**
   * Adds the archive of {@code tony.java.archive}, if set. Nodes keep it for later jobs: of all
   * users if every user can read it, otherwise of this user.
   */
  public ContainerFiles addJava(TonyConfig config) throws IOException {
    Optional<Path> archive = config.find(TaskOptions.JAVA_ARCHIVE).map(Path::new);
    return archive.isEmpty()
        ? this
        : add(
            archive.get(),
            Staging.JAVA,
            LocalResourceType.ARCHIVE,
            isReadableByAll(archive.get())
                ? LocalResourceVisibility.PUBLIC
                : LocalResourceVisibility.PRIVATE);
  }

  /**
   * Returns true if a NodeManager will not refuse the file as a public one: every user can read it
   * and enter all its folders. An encrypted file counts as not readable, because NodeManagers
   * download public files as their own user, who may not use the file's key.
   */
  private boolean isReadableByAll(Path source) throws IOException {
    FileSystem fs = source.getFileSystem(conf);
    FileStatus file = fs.getFileStatus(source);
    if (file.isEncrypted() || !othersMay(FsAction.READ, file)) {
      return false;
    }
    for (Path folder = file.getPath().getParent(); folder != null; folder = folder.getParent()) {
      if (!othersMay(FsAction.EXECUTE, fs.getFileStatus(folder))) {
        return false;
      }
    }
    return true;
  }

  private static boolean othersMay(FsAction action, FileStatus file) {
    return file.getPermission().getOtherAction().implies(action);
  }

  private ContainerFiles jar(Path source, String name) throws IOException {
    jars.add(name);
    return addFile(source, name);
  }

  /**
   * Adds every jar of these folders to the files, and to the class path before the cluster's
   * classes.
   *
   * @throws IOException if a folder cannot be listed, or for the reasons of {@link #addFile(Path,
   *     String)}
   */
  public ContainerFiles addJarsOf(List<String> folders) throws IOException {
    for (String folder : folders) {
      Path path = new Path(folder);
      FileSystem fs = path.getFileSystem(conf);
      for (FileStatus status : fs.listStatus(path)) {
        if (status.getPath().getName().endsWith(".jar")) {
          jar(status.getPath(), status.getPath().getName());
        }
      }
    }
    return this;
  }

  private ContainerFiles add(
      Path source, String name, LocalResourceType type, LocalResourceVisibility visibility)
      throws IOException {
    if (!PLAIN.matcher(source.getName()).matches()) {
      throw new IOException(
          source + " has a name that YARN's shell script would not take as it is: rename it");
    }
    FileStatus status = source.getFileSystem(conf).getFileStatus(source);
    URL url = URL.fromPath(status.getPath());
    LocalResource other =
        files.putIfAbsent(
            name,
            LocalResource.newInstance(
                url, type, visibility, status.getLen(), status.getModificationTime()));
    // Compare only the paths: the URI of a file may or may not contain the host and port.
    if (other != null && !other.getResource().getFile().equals(url.getFile())) {
      throw new IOException(
          other.getResource().getFile()
              + " and "
              + status.getPath()
              + " would both be "
              + name
              + " in a container's working directory: give one another name");
    }
    return this;
  }

  public Map<String, LocalResource> asMap() {
    return Map.copyOf(files);
  }

  /**
   * Returns the value of {@code CLASSPATH}: the added jars, then the cluster's configured class
   * path.
   */
  public String classPath() {
    List<String> entries = new ArrayList<>();
    for (String jar : jars) {
      entries.add(Environment.PWD.$$() + "/" + jar);
    }
    String[] cluster =
        conf.getTrimmedStrings(
            YarnConfiguration.YARN_APPLICATION_CLASSPATH,
            YarnConfiguration.DEFAULT_YARN_CROSS_PLATFORM_APPLICATION_CLASSPATH);
    entries.addAll(List.of(cluster));
    return String.join(ApplicationConstants.CLASS_PATH_SEPARATOR, entries);
  }
}
