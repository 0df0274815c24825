package io.tony.mini;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folder that holds all that a cluster writes, and the names of what is in it. */
record ClusterFolder(Path root) {

  /** Present in a folder that a cluster has written, and may therefore empty. */
  private static final String MARKER = ".tony-mini";

  /**
   * Takes a folder for a new cluster. The remains of an earlier cluster are deleted, so that no old
   * application or block comes back; files of anybody else are never touched.
   *
   * @throws FileAlreadyExistsException if the folder holds something that no cluster wrote
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

  /** The Kerberos server's, where there is one. */
  Path kdc() {
    return root.resolve("kdc");
  }

  /** Where the daemons find a core-site.xml by themselves; empty where they need none. */
  Path site() {
    return root.resolve("site");
  }

  /**
   * Above the local and log folders of every NodeManager, and so above the working directory of
   * every container.
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
   * Where a daemon unpacks its web pages. Each needs a folder of its own: it deletes it when it
   * stops.
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
