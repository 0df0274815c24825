package io.tony.process;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The only class of TonY that starts threads and processes. The user, the container or the machine
 * may limit their number (RLIMIT_NPROC, {@code pids.max}). At the limit, the JDK throws an
 * OutOfMemoryError, which would end the calling thread; this class throws an IOException instead,
 * which the caller can handle.
 */
public final class Spawner {
  /** The operating system's functions to start threads and processes; tests replace them. */
  public interface Kernel {
    /**
     * Runs {@code start}, which throws an OutOfMemoryError if the operating system refuses a new
     * thread.
     */
    void startThread(Runnable start);

    Process startProcess(ProcessBuilder builder) throws IOException;
  }

  /** The Spawner of the real operating system. */
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

  /** Not final, because tests replace it in {@link #SYSTEM}. */
  volatile Kernel kernel;

  public Spawner(Kernel kernel) {
    this.kernel = kernel;
  }

  /** Returns true if a Spawner started the thread; false if a library or the JVM did. */
  public static boolean isOurs(Thread thread) {
    return thread instanceof SpawnedThread;
  }

  /**
   * Starts a daemon thread.
   *
   * @throws IOException if the operating system refuses a new thread
   */
  public Thread startThread(String name, Runnable task) throws IOException {
    Thread thread = new SpawnedThread(task, name);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      throw ThreadPools.noThreadError(name, e);
    }
    return thread;
  }

  /**
   * Creates an executor service with one daemon thread. Starts the thread now, so that accepted
   * tasks cannot fail for lack of a thread.
   *
   * @throws IOException if the operating system refuses a new thread
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
      throw ThreadPools.noThreadError(name, e);
    }
    return single;
  }

  /**
   * Creates a pool of daemon threads for long tasks. Threads start on demand and end after 10 s
   * without work. A task is rejected with a RejectedExecutionException if it needs a new thread and
   * the operating system refuses one.
   *
   * @param threads maximum number of threads
   */
  public ThreadPoolExecutor newThreadPool(String name, int threads) {
    return ThreadPools.newThreadPool(name, threads, task -> new SpawnedThread(task, name));
  }

  /**
   * Creates a scheduler with daemon threads. If a task throws an Error, the Error ends the thread
   * and is reported as uncaught; the JDK's own scheduler would hide it in the task's future.
   *
   * @throws IOException if the operating system refuses a new thread
   */
  public ScheduledThreadPoolExecutor newScheduler(String name, int threads) throws IOException {
    return ThreadPools.newScheduler(name, threads, task -> new SpawnedThread(task, name));
  }

  /**
   * Starts a process.
   *
   * @throws IOException if the operating system refuses a new process, or the thread with which the
   *     JDK waits for the process's end; in the latter case the process may be running
   */
  public Process startProcess(ProcessBuilder builder) throws IOException {
    try {
      return kernel.startProcess(builder);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          "no thread can be had that waits for "
              + builder.command().get(0)
              + ": "
              + ThreadPools.REMEDY,
          e);
    }
  }
}
