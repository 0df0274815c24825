package io.tony.executor.bridge;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;

/**
 * Calls of the few classes of this program that need Hadoop. They are loaded, with Hadoop's own,
 * for the first call and stay: until then, an executor has nothing of Hadoop in its memory. For use
 * by several threads.
 */
public final class HadoopCalls {
  /** A shortage passes; each loader that is forgotten may leave its classes in memory. */
  private static final int MAX_DISCARDED_LOADERS = 3;

  private final HadoopClassPath classPath;
  private int discardedLoaderCount; // guarded by this

  /** Null until it is needed, and after a failure of its own; threads of Hadoop's go on with it. */
  private ClassLoader loader;

  public HadoopCalls(HadoopClassPath classPath) {
    this.classPath = classPath;
  }

  /**
   * Calls a static method, whose name the class has once. Arguments and result are of classes of
   * the JDK: those of this program are others there.
   *
   * @throws IOException which the method has thrown, or that says why it could not be called
   */
  public Object call(String type, String method, Object... arguments)
      throws IOException, InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader hadoop = loader();
    try {
      thread.setContextClassLoader(hadoop); // from which Hadoop takes its configuration
      for (Method candidate : hadoop.loadClass(type).getMethods()) {
        if (candidate.getName().equals(method)) {
          return candidate.invoke(null, arguments);
        }
      }
      throw new NoSuchMethodException(type + "." + method);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      discardIfBroken(hadoop, cause);
      if (cause instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      throw cause instanceof IOException failed ? failed : new IOException(cause.toString(), cause);
    } catch (ReflectiveOperationException | LinkageError | VirtualMachineError e) {
      discardIfBroken(hadoop, e);
      throw new IOException("Hadoop cannot be called with " + classPath + ": " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * A class whose first use met a shortage, as of threads, is broken as long as its loader lives:
   * the next call begins with another one. A class that is missing would be missing there, too.
   */
  private synchronized void discardIfBroken(ClassLoader used, Throwable trouble) {
    for (Throwable cause = trouble; cause != null; cause = cause.getCause()) {
      if (isResourceShortage(cause)
          && loader == used
          && discardedLoaderCount < MAX_DISCARDED_LOADERS) {
        loader = null;
        discardedLoaderCount++;
      }
    }
  }

  private static boolean isResourceShortage(Throwable trouble) {
    return trouble instanceof VirtualMachineError
        || trouble instanceof ExceptionInInitializerError
        || (trouble instanceof NoClassDefFoundError
            && String.valueOf(trouble.getMessage()).startsWith("Could not initialize class"));
  }

  private synchronized ClassLoader loader() throws MalformedURLException {
    if (loader == null) {
      loader = classPath.load();
    }
    return loader;
  }
}
