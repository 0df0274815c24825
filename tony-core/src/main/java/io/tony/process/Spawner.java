package io.tony.process;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Starts the threads and the processes of this program; nothing else does. A user, a container or a
 * machine may have no more of them for a moment (RLIMIT_NPROC, {@code pids.max}). The JDK throws an
 * OutOfMemoryError for that, by which the thread that asks would end, whatever it was for. Here it
 * is an IOException, so that whoever starts something says what happens without it.
 */
public final class Spawner {
  private static final String REMEDY =
      "the user, the container or the node may have no more processes and threads (ulimit -u,"
          + " pids.max): start fewer, or raise that limit";

  /** Has the operating system start what it is given. */
  public interface Kernel {
    /** Runs {@code start}, which throws an OutOfMemoryError where no thread can be had. */
    void startThread(Runnable start);

    Process startProcess(ProcessBuilder builder) throws IOException;
  }

  /** The operating system as it is. */
  public static final Spawner SYSTEM =
      new Spawner(
          new Kernel() {
            @Override
            public void startThread(Runnable start) {
              start.run();
            }

            @Override
            public Process startProcess(ProcessBuilder builder) throws IOException {
              return builder.start();
            }
          });

  private final class SpawnedThread extends Thread {
    SpawnedThread(Runnable task, String name) {
      super(task, name);
      setDaemon(true);
    }

    @Override
    public synchronized void start() {
      kernel.startThread(super::start);
    }
  }

  /** That of {@link #SYSTEM} is another one in tests. */
  volatile Kernel kernel;

  public Spawner(Kernel kernel) {
    this.kernel = kernel;
  }

  /** Whether the thread is one of this program's own, and not one of a library's. */
  public static boolean isOurs(Thread thread) {
    return thread instanceof SpawnedThread;
  }

  /**
   * Starts a daemon thread.
   *
   * @throws IOException when no thread can be had
   */
  public Thread startThread(String name, Runnable task) throws IOException {
    Thread thread = new SpawnedThread(task, name);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      throw noThreadError(name, e);
    }
    return thread;
  }

  /**
   * Starts a daemon thread for tasks that are run one after the other. No other thread follows it:
   * a task that is taken needs none.
   *
   * @throws IOException when no thread can be had
   */
  public ExecutorService newSingleThreadExecutor(String name) throws IOException {
    ThreadPoolExecutor single =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new SpawnedThread(task, name));
    try {
      single.prestartCoreThread();
    } catch (OutOfMemoryError e) {
      throw noThreadError(name, e);
    }
    return single;
  }

  /**
   * Threads for what may take long. They start when there is something to do, and end when there is
   * nothing for a while. A task for which no thread can be had is refused, with a
   * RejectedExecutionException.
   */
  public ThreadPoolExecutor newThreadPool(String name, int threads) {
    return ThreadPools.newThreadPool(name, threads, task -> new SpawnedThread(task, name));
  }

  /**
   * Starts daemon threads for tasks that have their times. An Error of a task, which nobody would
   * ask for, ends its thread.
   *
   * @throws IOException when no thread can be had
   */
  public ScheduledThreadPoolExecutor newScheduler(String name, int threads) throws IOException {
    return ThreadPools.newScheduler(name, threads, task -> new SpawnedThread(task, name));
  }

  static IOException noThreadError(String name, OutOfMemoryError e) {
    return new IOException("no thread can be had for " + name + ": " + REMEDY, e);
  }

  /**
   * Starts a process.
   *
   * @throws IOException when none can be had, or no thread that waits for its end: it may run then
   */
  public Process startProcess(ProcessBuilder builder) throws IOException {
    try {
      return kernel.startProcess(builder);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          "no thread can be had that waits for " + builder.command().get(0) + ": " + REMEDY, e);
    }
  }
}
