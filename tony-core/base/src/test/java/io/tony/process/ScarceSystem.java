package io.tony.process;

import io.tony.clock.AwakeClock;
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
    AwakeClock.nanoTime(); // the clock starts a thread of its own at its first use
    return under(ScarceKernel.withoutThreads(1, 1), life);
  }
}
