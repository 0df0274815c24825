package io.tony.executor;

import io.tony.model.Endpoint;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;

/**
 * The file in which each ApplicationMaster of a job leaves its address. It is read only when one is
 * lost: until then, an executor has nothing of Hadoop in its memory. Not thread-safe.
 */
final class MasterFile {
  private static final String READER = "io.tony.executor.hadoop.AddressReader";

  private final String uri;
  private final HadoopClassPath classPath;
  private final ProgramTokens tokens;
  private ClassLoader hadoop; // null until it is needed; threads of Hadoop's go on with it

  /**
   * Does not read yet.
   *
   * @param classPath of Hadoop
   * @param tokens those with which the file can be read
   */
  MasterFile(String uri, HadoopClassPath classPath, ProgramTokens tokens) {
    this.uri = uri;
    this.classPath = classPath;
    this.tokens = tokens;
  }

  InetSocketAddress read() throws IOException, InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      if (hadoop == null) {
        hadoop = classPath.load();
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
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IOException(uri + " cannot be read with " + classPath + ": " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
