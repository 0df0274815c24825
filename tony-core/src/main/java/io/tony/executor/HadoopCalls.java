package io.tony.executor;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;

/**
 * Calls of the few classes of this program that need Hadoop. They are loaded, with Hadoop's own,
 * for the first call and stay: until then, an executor has nothing of Hadoop in its memory. For use
 * by several threads.
 */
final class HadoopCalls {
  private final HadoopClassPath classPath;

  /** Null until it is needed, and after a failure of its own; threads of Hadoop's go on with it. */
  private ClassLoader loader;

  HadoopCalls(HadoopClassPath classPath) {
    this.classPath = classPath;
  }

  /**
   * Calls a static method, whose name the class has once. Arguments and result are of classes of
   * the JDK: those of this program are others there.
   *
   * @throws IOException which the method has thrown, or that says why it could not be called
   */
  Object call(String type, String method, Object... arguments)
      throws IOException, InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader hadoop = loader();
    try {
      thread.setContextClassLoader(hadoop); // from which Hadoop takes its configuration
      for (Method one : hadoop.loadClass(type).getMethods()) {
        if (one.getName().equals(method)) {
          return one.invoke(null, arguments);
        }
      }
      throw new NoSuchMethodException(type + "." + method);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      forgetIfBroken(hadoop, cause);
      if (cause instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      throw cause instanceof IOException failed ? failed : new IOException(cause.toString(), cause);
    } catch (ReflectiveOperationException | LinkageError | VirtualMachineError e) {
      forgetIfBroken(hadoop, e);
      throw new IOException("Hadoop cannot be called with " + classPath + ": " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * A class whose first use met a shortage, as of threads, is broken as long as its loader lives:
   * the next call begins with another one.
   */
  private synchronized void forgetIfBroken(ClassLoader used, Throwable trouble) {
    for (Throwable cause = trouble; cause != null; cause = cause.getCause()) {
      boolean broken = cause instanceof LinkageError || cause instanceof VirtualMachineError;
      if (broken && loader == used) {
        loader = null;
      }
    }
  }

  private synchronized ClassLoader loader() throws MalformedURLException {
    if (loader == null) {
      loader = classPath.load();
    }
    return loader;
  }
}
