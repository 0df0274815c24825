package io.tony.client.launch;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds resources in the folders of the class path before those in its jars, whatever their order.
 * A JVM uses a class archive only if all jars precede the folders on the class path; but the
 * cluster's {@code core-site.xml}, which is in a folder, must be found before one in a jar.
 */
public final class FoldersFirstClassLoader extends ClassLoader {
  private final List<Path> folders;

  private FoldersFirstClassLoader(List<Path> folders, ClassLoader parent) {
    super(parent);
    this.folders = folders;
  }

  /**
   * Makes a class loader of this class the context class loader of this thread and of the threads
   * that it starts later. Hadoop finds its configuration files by the context class loader.
   */
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
  public @Nullable URL getResource(String name) {
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
      throw new IllegalStateException(e); // cannot happen: every file has a URL
    }
  }
}
