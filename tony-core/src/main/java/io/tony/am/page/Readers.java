package io.tony.am.page;

import io.tony.am.serve.Alarms;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Threads that read what may take long, for the page's; they end where nothing is to be read. */
final class Readers {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final Alarms page;
  private final ThreadPoolExecutor threads;

  /**
   * @param name of the threads
   */
  Readers(String name, int most, Alarms page) {
    this.page = page;
    threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
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
    threads.execute(task);
    return () -> threads.remove(task);
  }
}
