package io.tony.mini;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folder with all files of a cluster, and the names in it. */
record ClusterFolder(Path root) {

  /** Marks a folder that a cluster has written, and that may therefore be emptied. */
  private static final String MARKER = ".tony-mini";

  /**
   * Claims a folder for a new cluster. Deletes the remains of an earlier cluster, so that no old
   * application or block reappears; never touches files that no cluster wrote.
   *
   * @throws FileAlreadyExistsException if the folder contains files that no cluster wrote
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

  /** The folder of the Kerberos server, if any. */
  Path kdc() {
    return root.resolve("kdc");
  }

  /**
   * The folder whose core-site.xml the daemons find on their class path; empty if they need none.
   */
  Path site() {
    return root.resolve("site");
  }

  /**
   * The parent of the local and log folders of all NodeManagers, and so of the working directories
   * of all containers.
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
   * The folder into which a daemon unpacks its web pages. Each daemon needs its own folder, because
   * it deletes the folder when it stops.
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
