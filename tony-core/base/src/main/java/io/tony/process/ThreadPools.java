package io.tony.process;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Thread pools of {@link Spawner}. In a class of its own, so that TonY's executors, which need no
 * pools, need not load it.
 */
final class ThreadPools {
  private static final long IDLE_SECONDS = 10;

  static final String REMEDY =
      "the user, the container or the node may have no more processes and threads (ulimit -u,"
          + " pids.max): start fewer, or raise that limit";

  private ThreadPools() {}

  static ThreadPoolExecutor newThreadPool(String name, int threads, ThreadFactory factory) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            factory) {
          @Override
          public void execute(Runnable task) {
            try {
              super.execute(task);
            } catch (OutOfMemoryError e) {
              IOException why = noThreadError(name, e);
              throw new RejectedExecutionException(why.getMessage(), why);
            }
          }
        };
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  static ScheduledThreadPoolExecutor newScheduler(String name, int threads, ThreadFactory factory)
      throws IOException {
    ScheduledThreadPoolExecutor scheduler =
        new ScheduledThreadPoolExecutor(threads, factory) {
          @Override
          protected void afterExecute(Runnable task, Throwable trouble) {
            if (task instanceof Future<?> done && done.isDone() && !done.isCancelled()) {
              throwErrorOf(done);
            }
          }
        };
    try {
      scheduler.prestartAllCoreThreads();
    } catch (OutOfMemoryError e) {
      throw noThreadError(name, e);
    }
    return scheduler;
  }

  private static void throwErrorOf(Future<?> done) {
    try {
      done.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static IOException noThreadError(String name, OutOfMemoryError e) {
    return new IOException("no thread can be had for " + name + ": " + REMEDY, e);
  }
}
