package io.tony.am.page;

import io.tony.am.serve.Alarms;
import io.tony.process.Spawner;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/** Threads that read what may take long, for the page's; they end where nothing is to be read. */
final class Readers {
  private final Alarms page;
  private final ThreadPoolExecutor threads;

  /**
   * @param name of the threads
   */
  Readers(String name, int most, Alarms page) {
    this.page = page;
    threads = Spawner.SYSTEM.pool(name, most);
  }

  /**
   * Reads by one of the threads, and has the page's thread told what comes of it.
   *
   * @return done where nobody waits for it any more: no thread begins to read it then
   */
  <T> Runnable read(Callable<T> reading, Consumer<T> told, Consumer<Throwable> failed) {
    Runnable task =
        () -> {
          try {
            T read = reading.call();
            page.soon(() -> told.accept(read));
          } catch (Throwable e) { // whoever asked must be told
            page.soon(() -> failed.accept(e));
          }
        };
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      page.soon(() -> failed.accept(e));
    }
    return () -> threads.remove(task);
  }
}
