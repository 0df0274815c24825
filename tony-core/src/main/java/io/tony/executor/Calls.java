package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Calls of the ApplicationMaster, made one after the other by a thread of their own: who owns the
 * task's life waits for none of them. When one fails for good, that is told once, and those after
 * it are not made.
 */
final class Calls implements AutoCloseable {
  /** One call, with what is to be done with its answer. */
  interface Call {
    void make() throws MasterLost, InterruptedException;
  }

  private final ExecutorService thread;
  private final Consumer<Exception> onFailure;
  private final AtomicInteger open = new AtomicInteger();
  private volatile boolean failed;

  /**
   * Starts the thread.
   *
   * @param onFailure gets what a call threw, on that thread
   */
  Calls(String name, Consumer<Exception> onFailure) {
    this.onFailure = onFailure;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
            });
  }

  void submit(Call call) {
    open.incrementAndGet();
    thread.execute(() -> make(call));
  }

  private void make(Call call) {
    try {
      if (!failed) {
        call.make();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (MasterLost | RuntimeException e) {
      failed = true;
      onFailure.accept(e);
    } finally {
      open.decrementAndGet();
    }
  }

  /** True until all that was submitted has been made. */
  boolean busy() {
    return open.get() > 0;
  }

  /** Waits until all that was submitted has been made or given up; takes no more. */
  void finish() throws InterruptedException {
    thread.shutdown();
    while (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
      // a call ends when its own patience does
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
