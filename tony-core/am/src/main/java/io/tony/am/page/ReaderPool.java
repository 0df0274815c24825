package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.process.Spawner;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/** Threads that do slow reads for the page's thread. They end when there is nothing to read. */
final class ReaderPool {
  private final DeadlineQueue pageThread;
  private final ThreadPoolExecutor threads;

  /** {@code name} is the prefix of the threads' names; {@code pageThread} runs the callbacks. */
  ReaderPool(String name, int maxThreads, DeadlineQueue pageThread) {
    this.pageThread = pageThread;
    threads = Spawner.SYSTEM.newThreadPool(name, maxThreads);
  }

  /**
   * Runs {@code call} on a thread of this pool. Passes its result or its exception to a callback on
   * the page's thread.
   *
   * @return a {@link Runnable} that cancels the call if it has not begun yet; no callback runs then
   */
  <T> Runnable read(Callable<T> call, Consumer<T> onRead, Consumer<Throwable> onFailure) {
    Runnable task =
        () -> {
          try {
            T read = call.call();
            pageThread.execute(() -> onRead.accept(read));
          } catch (Throwable e) { // Catch errors, too: the caller waits for a callback.
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
