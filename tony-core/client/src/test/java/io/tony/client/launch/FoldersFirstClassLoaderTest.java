package io.tony.client.launch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class FoldersFirstClassLoaderTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void shouldFindTheClustersFilesBeforeThoseOfAJar() throws Exception {
    Path jar = temporary.getRoot().toPath().resolve("tests.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String name : new String[] {"core-site.xml", "core-default.xml"}) {
        out.putNextEntry(new ZipEntry(name));
        out.closeEntry();
      }
    }
    Path conf = folder("conf");
    Path others = folder("others");
    String classPath = String.join(File.pathSeparator, jar.toString(), "", "" + conf, "" + others);
    URL[] urls = {url(jar), url(conf), url(others)};
    try (URLClassLoader parent = new URLClassLoader(urls, null)) {
      FoldersFirstClassLoader loader = FoldersFirstClassLoader.of(classPath, parent);

      assertEquals(url(conf.resolve("core-site.xml")), loader.getResource("core-site.xml"));
      assertEquals(
          "jar:" + url(jar) + "!/core-default.xml", "" + loader.getResource("core-default.xml"));
      assertNull(loader.getResource("yarn-site.xml"));
    }
  }

  private Path folder(String name) throws IOException {
    Path folder = temporary.newFolder(name).toPath();
    Files.createFile(folder.resolve("core-site.xml"));
    return folder;
  }

  private static URL url(Path file) throws IOException {
    return file.toUri().toURL();
  }
}
