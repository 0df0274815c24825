package io.tony.executor.bridge;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;

/**
 * Calls the few classes of TonY's executor that need Hadoop. They are loaded together with Hadoop's
 * classes at the first call and stay loaded; before that, an executor has no Hadoop class in
 * memory. Thread-safe.
 */
public final class HadoopCalls {
  /**
   * Maximum number of class loaders discarded. A shortage passes, and each discarded loader may
   * leave its classes in memory.
   */
  private static final int MAX_DISCARDED_LOADERS = 3;

  private final HadoopClassPath classPath;
  private int discardedLoaderCount; // guarded by this

  /**
   * Loads Hadoop's classes. Null until needed, and after it was discarded; threads of Hadoop keep
   * using a discarded loader. Guarded by this.
   */
  private ClassLoader loader;

  public HadoopCalls(HadoopClassPath classPath) {
    this.classPath = classPath;
  }

  /**
   * Calls a static method by name; the class must not overload the method. Arguments and result
   * must be of JDK classes, because TonY's classes are loaded a second time by the other class
   * loader.
   *
   * @throws IOException if the method throws an exception or cannot be called
   */
  public Object call(String type, String method, Object... arguments)
      throws IOException, InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader hadoop = loader();
    try {
      thread.setContextClassLoader(hadoop); // Hadoop loads its configuration from there
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
   * Discards the class loader after a shortage, for example of threads: a class whose
   * initialization failed stays broken as long as its loader lives. A missing class is no reason,
   * because it would be missing in the next loader, too.
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
