package io.tony.executor.bridge;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Calls, by reflection, methods of the executor's classes that need Hadoop. A class loader of its
 * own loads these classes and Hadoop's at the first call and keeps them; before the first call, the
 * executor has no Hadoop class in memory. Thread-safe.
 */
public final class HadoopCalls {
  /**
   * Maximum number of class loaders that are discarded; after that, a broken one stays in use. A
   * discarded class loader may leave its classes in memory.
   */
  private static final int MAX_DISCARDED_LOADERS = 3;

  private final HadoopClassPath classPath;
  private int discardedLoaderCount; // guarded by this

  /**
   * Class loader of Hadoop's classes and of the executor's classes that need them. Null before the
   * first call, and after a class loader was discarded, which Hadoop's threads may still be using.
   * Guarded by this.
   */
  private @Nullable ClassLoader loader;

  public HadoopCalls(HadoopClassPath classPath) {
    this.classPath = classPath;
  }

  /**
   * Calls a public static method by its name; the class must have only one method of this name.
   * Arguments and result must be of JDK classes, because the class loader for Hadoop has its own
   * copies of TonY's classes. Returns what the method returns.
   *
   * @param type full name of the class
   * @throws IOException if the method throws an exception other than {@link InterruptedException},
   *     or cannot be called
   */
  public Object call(String type, String method, Object... arguments)
      throws IOException, InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader hadoop = loader();
    try {
      // Hadoop looks for its configuration files in the thread's context class loader.
      thread.setContextClassLoader(hadoop);
      for (Method candidate : hadoop.loadClass(type).getMethods()) {
        if (candidate.getName().equals(method)) {
          return candidate.invoke(null, arguments);
        }
      }
      throw new NoSuchMethodException(type + "." + method);
    } catch (InvocationTargetException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
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
   * Discards {@code used} if the failure was caused by a shortage, for example of threads or
   * memory: a class whose initialization failed stays unusable in its class loader, and a new class
   * loader may succeed. Keeps {@code used} if a class is merely missing, because a new class loader
   * would not have it either.
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
