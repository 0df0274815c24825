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
    void thread(Runnable start);

    Process process(ProcessBuilder builder) throws IOException;
  }

  /** The operating system as it is. */
  public static final Spawner SYSTEM =
      new Spawner(
          new Kernel() {
            @Override
            public void thread(Runnable start) {
              start.run();
            }

            @Override
            public Process process(ProcessBuilder builder) throws IOException {
              return builder.start();
            }
          });

  private final class Spawned extends Thread {
    Spawned(Runnable task, String name) {
      super(task, name);
      setDaemon(true);
    }

    @Override
    public synchronized void start() {
      kernel.thread(super::start);
    }
  }

  /** That of {@link #SYSTEM} is another one in tests. */
  volatile Kernel kernel;

  public Spawner(Kernel kernel) {
    this.kernel = kernel;
  }

  /** Whether the thread is one of this program's own, and not one of a library's. */
  public static boolean isOurs(Thread thread) {
    return thread instanceof Spawned;
  }

  /**
   * Starts a daemon thread.
   *
   * @throws IOException when no thread can be had
   */
  public Thread thread(String name, Runnable task) throws IOException {
    Thread thread = new Spawned(task, name);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      throw noThread(name, e);
    }
    return thread;
  }

  /**
   * Starts a daemon thread for tasks that are run one after the other. No other thread follows it:
   * a task that is taken needs none.
   *
   * @throws IOException when no thread can be had
   */
  public ExecutorService single(String name) throws IOException {
    ThreadPoolExecutor single =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new Spawned(task, name));
    try {
      single.prestartCoreThread();
    } catch (OutOfMemoryError e) {
      throw noThread(name, e);
    }
    return single;
  }

  /**
   * Threads for what may take long. They start when there is something to do, and end when there is
   * nothing for a while. A task for which no thread can be had is refused, with a
   * RejectedExecutionException.
   */
  public ThreadPoolExecutor pool(String name, int threads) {
    return Pools.growing(name, threads, task -> new Spawned(task, name));
  }

  /**
   * Starts daemon threads for tasks that have their times. An Error of a task, which nobody would
   * ask for, ends its thread.
   *
   * @throws IOException when no thread can be had
   */
  public ScheduledThreadPoolExecutor scheduler(String name, int threads) throws IOException {
    return Pools.timed(name, threads, task -> new Spawned(task, name));
  }

  static IOException noThread(String name, OutOfMemoryError e) {
    return new IOException("no thread can be had for " + name + ": " + REMEDY, e);
  }

  /**
   * Starts a process.
   *
   * @throws IOException when none can be had, or no thread that waits for its end: it may run then
   */
  public Process process(ProcessBuilder builder) throws IOException {
    try {
      return kernel.process(builder);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          "no thread can be had that waits for " + builder.command().get(0) + ": " + REMEDY, e);
    }
  }
}
