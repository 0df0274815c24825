package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.process.Spawner;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/**
 * Threads for slow reads on behalf of the page's thread; they end when there is nothing to read.
 */
final class ReaderPool {
  private final DeadlineQueue pageThread;
  private final ThreadPoolExecutor threads;

  /** {@code name} is the prefix of the threads' names. */
  ReaderPool(String name, int maxThreads, DeadlineQueue pageThread) {
    this.pageThread = pageThread;
    threads = Spawner.SYSTEM.newThreadPool(name, maxThreads);
  }

  /**
   * Runs the call on a thread of this pool and passes the result to a callback on the page's
   * thread.
   *
   * @return removes the call from the queue when run; has no effect once the call has begun
   */
  <T> Runnable read(Callable<T> call, Consumer<T> onRead, Consumer<Throwable> onFailure) {
    Runnable task =
        () -> {
          try {
            T read = call.call();
            pageThread.execute(() -> onRead.accept(read));
          } catch (Throwable e) { // the caller must be notified of errors, too
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
