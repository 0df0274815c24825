package io.tony.azkaban;

import io.tony.azkaban.standin.StandInManager;
import io.tony.client.TonyCli;
import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** The plugin's folder as an administrator installs it, for one test. */
final class InstalledPlugin {

  /** In the manifests of its jars. */
  static final String VERSION = "1.2.3-test";

  private final Path jobTypes;
  private final Path folder;

  private InstalledPlugin(Path jobTypes) {
    this.jobTypes = jobTypes;
    this.folder = jobTypes.resolve("tony");
  }

  /**
   * Installs the repository's own property files, a jar of the job type, and in lib/ a jar with the
   * stand-in for TonY's client. The folder's name has a blank, which needs care.
   */
  static InstalledPlugin install(Path below) throws IOException {
    InstalledPlugin plugin = new InstalledPlugin(below.resolve("job types"));
    Files.createDirectories(plugin.folder.resolve("lib"));
    Path source = BuildArtifacts.file("plugins/jobtypes/tony");
    for (String name : List.of("private.properties", "plugin.properties")) {
      Files.copy(source.resolve(name), plugin.folder.resolve(name));
    }
    jar(TonyJob.class, "io/tony/azkaban", plugin.folder.resolve("azkaban-jobtype-tony.jar"));
    jar(TonyCli.class, "io/tony/client", plugin.folder.resolve("lib/tony-core-standin.jar"));
    jar(
        StandInManager.class,
        "io/tony/azkaban/standin",
        plugin.folder.resolve("security-manager-standin.jar"));
    Path hadoop = Files.createDirectories(below.resolve("hadoop conf"));
    plugin.set(
        "hadoop.conf.dir=" + hadoop, "tony.client.classpath=" + hadoop, "tony.client.cache=none");
    return plugin;
  }

  void set(String... lines) throws IOException {
    Files.write(folder.resolve("plugin.properties"), List.of(lines), StandardOpenOption.APPEND);
  }

  void setPrivate(String... lines) throws IOException {
    Files.write(folder.resolve("private.properties"), List.of(lines), StandardOpenOption.APPEND);
  }

  Path jobTypes() {
    return jobTypes;
  }

  Path folder() {
    return folder;
  }

  static Path classesOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void jar(Class<?> type, String packageFolder, Path jar) throws IOException {
    Path classes = classesOf(type);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest());
        Stream<Path> paths = Files.list(classes.resolve(packageFolder))) {
      paths
          .filter(path -> path.toString().endsWith(".class"))
          .forEach(path -> add(classes, path, out));
    }
  }

  private static Manifest manifest() {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, VERSION);
    return manifest;
  }

  private static void add(Path root, Path path, JarOutputStream out) {
    try {
      out.putNextEntry(new JarEntry(root.relativize(path).toString()));
      Files.copy(path, out);
      out.closeEntry();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
