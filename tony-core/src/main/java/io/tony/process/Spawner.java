package io.tony.process;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Starts all threads and processes of this program; no other class does. A limit of the user, the
 * container or the machine (RLIMIT_NPROC, {@code pids.max}) may forbid a new one. The JDK then
 * throws an OutOfMemoryError, which would end the calling thread. This class throws an IOException
 * instead, so that the caller can handle the failure.
 */
public final class Spawner {
  private static final String REMEDY =
      "the user, the container or the node may have no more processes and threads (ulimit -u,"
          + " pids.max): start fewer, or raise that limit";

  /** Operating-system calls that start threads and processes; replaced in tests. */
  public interface Kernel {
    /** Runs {@code start}, which throws an OutOfMemoryError if the system refuses a new thread. */
    void startThread(Runnable start);

    Process startProcess(ProcessBuilder builder) throws IOException;
  }

  /** Spawner that uses the real operating system. */
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

  /** Not final: tests replace the kernel of {@link #SYSTEM}. */
  volatile Kernel kernel;

  public Spawner(Kernel kernel) {
    this.kernel = kernel;
  }

  /** Returns true if the thread was started by a Spawner, false for a thread of a library. */
  public static boolean isOurs(Thread thread) {
    return thread instanceof SpawnedThread;
  }

  /**
   * Starts a daemon thread.
   *
   * @throws IOException if the system refuses a new thread
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
   * Creates an executor with one daemon thread that runs tasks one after the other. The thread is
   * started at once, so that an accepted task needs no new thread.
   *
   * @throws IOException if the system refuses a new thread
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
   * Creates a pool of daemon threads for long tasks. Threads start on demand and end after 10 s
   * without work. A task for which the system refuses a new thread is rejected with a
   * RejectedExecutionException.
   *
   * @param threads maximum number of threads
   */
  public ThreadPoolExecutor newThreadPool(String name, int threads) {
    return ThreadPools.newThreadPool(name, threads, task -> new SpawnedThread(task, name));
  }

  /**
   * Creates a scheduler with daemon threads. An Error thrown by a task ends the thread instead of
   * being kept in the task's future, which no caller reads.
   *
   * @throws IOException if the system refuses a new thread
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
   * @throws IOException if the system refuses a new process, or the JDK's thread that waits for the
   *     process to end. In the latter case the process may be running
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
