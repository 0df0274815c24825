package io.tony.executor;

import io.tony.model.Endpoint;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The file in which each ApplicationMaster of a job leaves its address. It is read only when one is
 * lost: until then, an executor has nothing of Hadoop in its memory. The class path of Hadoop is
 * loaded then, and with it this program's jar a second time. Not thread-safe.
 */
final class MasterFile {
  private static final String READER = "io.tony.executor.hadoop.AddressReader";

  private final String uri;
  private final String classPath;
  private final ProgramTokens tokens;
  private ClassLoader hadoop; // null until it is needed; threads of Hadoop's go on with it

  /**
   * Does not read yet.
   *
   * @param classPath of Hadoop, its configuration and this program's jar
   * @param tokens those with which the file can be read
   */
  MasterFile(String uri, String classPath, ProgramTokens tokens) {
    this.uri = uri;
    this.classPath = classPath;
    this.tokens = tokens;
  }

  InetSocketAddress read() throws IOException, InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      if (hadoop == null) {
        hadoop = new URLClassLoader(urls(classPath), ClassLoader.getPlatformClassLoader());
      }
      thread.setContextClassLoader(hadoop); // from which Hadoop takes its configuration
      Object address =
          hadoop
              .loadClass(READER)
              .getMethod("read", String.class, byte[].class)
              .invoke(null, uri, tokens.toBytes());
      Endpoint endpoint = Endpoint.parse((String) address);
      return new InetSocketAddress(endpoint.host(), endpoint.port());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      throw new IOException(uri + " cannot be read: " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IOException(uri + " cannot be read with the class path " + classPath + ": " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** What a JVM makes of a class path: {@code folder/*} stands for the jars of the folder. */
  static URL[] urls(String classPath) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      if (entry.endsWith("/*")) {
        File[] jars = new File(entry.substring(0, entry.length() - 1)).listFiles();
        for (File jar : jars == null ? new File[0] : jars) {
          if (jar.getName().toLowerCase(Locale.ROOT).endsWith(".jar")) {
            urls.add(jar.toURI().toURL());
          }
        }
      } else {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return urls.toArray(new URL[0]);
  }
}
