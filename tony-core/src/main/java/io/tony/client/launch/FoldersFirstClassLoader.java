package io.tony.client.launch;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds files in the folders of the class path before those in its jars, wherever the folders
 * stand. A JVM takes classes from an archive only where all jars stand before the first folder; but
 * the cluster's {@code core-site.xml} must be found before one that some jar has for its tests.
 */
public final class FoldersFirstClassLoader extends ClassLoader {
  private final List<Path> folders;

  private FoldersFirstClassLoader(List<Path> folders, ClassLoader parent) {
    super(parent);
    this.folders = folders;
  }

  /** For this thread and those that it starts: Hadoop looks for its configuration there. */
  public static void install() {
    Thread.currentThread()
        .setContextClassLoader(
            of(
                System.getProperty("java.class.path"),
                FoldersFirstClassLoader.class.getClassLoader()));
  }

  static FoldersFirstClassLoader of(String classPath, ClassLoader parent) {
    return new FoldersFirstClassLoader(
        Stream.of(classPath.split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of)
            .filter(Files::isDirectory)
            .toList(),
        parent);
  }

  @Override
  public URL getResource(String name) {
    return folders.stream()
        .map(folder -> folder.resolve(name).normalize())
        .filter(file -> folders.stream().anyMatch(file::startsWith) && Files.isRegularFile(file))
        .map(FoldersFirstClassLoader::url)
        .findFirst()
        .orElseGet(() -> super.getResource(name));
  }

  private static URL url(Path file) {
    try {
      return file.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e); // a file has one
    }
  }
}
