package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.process.Spawner;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/** Threads that read what may take long, for the page's; they end where nothing is to be read. */
final class ReaderPool {
  private final DeadlineQueue pageThread;
  private final ThreadPoolExecutor threads;

  /**
   * @param name of the threads
   */
  ReaderPool(String name, int maxThreads, DeadlineQueue pageThread) {
    this.pageThread = pageThread;
    threads = Spawner.SYSTEM.newThreadPool(name, maxThreads);
  }

  /**
   * Reads by one of the threads, and has the page's thread told what comes of it.
   *
   * @return done where nobody waits for it any more: no thread begins to read it then
   */
  <T> Runnable read(Callable<T> call, Consumer<T> onRead, Consumer<Throwable> onFailure) {
    Runnable task =
        () -> {
          try {
            T read = call.call();
            pageThread.execute(() -> onRead.accept(read));
          } catch (Throwable e) { // whoever asked must be told
            pageThread.execute(() -> onFailure.accept(e));
          }
        };
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      pageThread.execute(() -> onFailure.accept(e));
    }
    return () -> threads.remove(task);
  }
}
