package io.tony.process;

import java.util.concurrent.Callable;

/**
 * This process under another kernel for a while: what starts its threads and processes by {@link
 * Spawner#SYSTEM} is not given one by tests.
 */
public final class ScarceSystem {
  private ScarceSystem() {}

  public static <T> T under(Spawner.Kernel kernel, Callable<T> life) throws Exception {
    Spawner.Kernel before = Spawner.SYSTEM.kernel;
    Spawner.SYSTEM.kernel = kernel;
    try {
      return life.call();
    } finally {
      Spawner.SYSTEM.kernel = before;
    }
  }

  /** Under one that refuses the next thread. */
  public static <T> T withoutTheNextThread(Callable<T> life) throws Exception {
    return under(ScarceKernel.withoutThreads(1, 1), life);
  }
}
