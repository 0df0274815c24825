package io.tony.mini;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folder that contains all files of a cluster, with the paths in it. */
record ClusterFolder(Path root) {

  /**
   * Name of an empty file that marks a folder as a cluster's. Only in such a folder are old files
   * deleted.
   */
  private static final String MARKER = ".tony-mini";

  /**
   * Prepares a folder for a new cluster. Deletes the files of an earlier cluster in it, so that no
   * old application or HDFS block reappears. Never deletes files in a folder that is not a
   * cluster's.
   *
   * @throws FileAlreadyExistsException if the folder is not empty and is not a cluster's
   */
  static ClusterFolder claim(Path dir) throws IOException {
    Path root = Files.createDirectories(dir).toRealPath();
    ClusterFolder folder = new ClusterFolder(root);
    Path marker = root.resolve(MARKER);
    if (Files.notExists(marker)) {
      try (Stream<Path> present = Files.list(root)) {
        if (present.findAny().isPresent()) {
          throw new FileAlreadyExistsException(
              root.toString(),
              null,
              "is not empty and was not made by tony-mini: name an empty or new folder");
        }
      }
      Files.createFile(marker);
    }
    Files.deleteIfExists(folder.ready());
    for (Path old :
        List.of(
            folder.conf(),
            folder.hdfs(),
            folder.yarn(),
            folder.kdc(),
            folder.site(),
            folder.logs(),
            folder.tmp())) {
      deleteTree(old);
      Files.createDirectories(old);
    }
    return folder;
  }

  Path conf() {
    return root.resolve("conf");
  }

  Path hdfs() {
    return root.resolve("hdfs");
  }

  Path yarn() {
    return root.resolve("yarn");
  }

  /** The folder of the Kerberos server; empty if the cluster has none. */
  Path kdc() {
    return root.resolve("kdc");
  }

  /**
   * The folder that contains the core-site.xml on the daemons' class path; empty if the cluster has
   * no Kerberos server.
   */
  Path site() {
    return root.resolve("site");
  }

  /**
   * The parent of all NodeManagers' local folders and log folders, and so of all containers'
   * working directories.
   */
  Path nodes() {
    return yarn().resolve("nodes");
  }

  Path nodeLocal(int index) {
    return nodes().resolve(index + "/local");
  }

  Path nodeLogs(int index) {
    return nodes().resolve(index + "/logs");
  }

  Path tmp() {
    return root.resolve("tmp");
  }

  /**
   * The folder into which a daemon unpacks its web pages. Each daemon has its own one, because it
   * deletes the folder when it stops.
   */
  Path pagesOf(String daemon) {
    return tmp().resolve("pages-" + daemon);
  }

  Path logs() {
    return root.resolve("logs");
  }

  Path clusterLog() {
    return logs().resolve("cluster.log");
  }

  Path hadoopClasspath() {
    return root.resolve("hadoop.classpath");
  }

  Path ready() {
    return root.resolve("ready");
  }

  private static void deleteTree(Path tree) throws IOException {
    if (Files.notExists(tree)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
