package io.tony.azkaban;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/**
 * The client's JVM in one attempt of a job, or several client JVMs one after the other. One thread
 * starts and awaits them; any other thread may cancel at any time. Cancelling is complete when the
 * application has ended, and only then does {@link #await} return.
 */
final class ClientProcess {

  /** How often {@link #await} checks whether a cancel has given up on a child that does not end. */
  private static final long POLL_MILLIS = 1_000;

  /** Exit code for SIGKILL, as a shell reports it. */
  private static final int KILLED = 137;

  /** How long a child may take to end after SIGKILL. */
  private static final long KILL_LIMIT_MILLIS = 5_000;

  /** State of the attempt, and its transitions. */
  private enum State {
    /** Nothing has been started. A start leads to RUNNING, a cancel to CANCELLED. */
    NEW,
    /**
     * The child runs, or has ended unnoticed. Its end leads to BETWEEN_CLIENTS, a cancel to
     * CANCELLING.
     */
    RUNNING,
    /**
     * The child has ended, and another one may be started. {@link #finish} leads to ENDED, a cancel
     * to CANCELLING.
     */
    BETWEEN_CLIENTS,
    /** A thread is ending the child and its application; then the state becomes CANCELLED. */
    CANCELLING,
    /** Final: nothing was started, or everything started has ended as far as can be known. */
    CANCELLED,
    /** Final: the attempt was complete before a cancel. */
    ENDED
  }

  /** The YARN application that a child submitted or follows. */
  interface Application {
    /** How long a child may take to stop the application after SIGTERM, in milliseconds. */
    long stopLimitMillis();

    /** Returns true if the application has ended, given the exit code of its child. */
    boolean isFinished(int exitCode);

    /** Ends an application whose client has failed to end it. */
    void kill() throws InterruptedException;
  }

  private final Logger log;
  private State state = State.NEW;
  private Process process;

  ClientProcess(Logger log) {
    this.log = log;
  }

  /** Starts a child; returns null if the job has been cancelled. */
  synchronized Process start(ProcessBuilder builder) throws IOException, InterruptedException {
    awaitCancel();
    if (state == State.CANCELLED) {
      return null;
    }
    process = builder.start();
    state = State.RUNNING;
    return process;
  }

  /**
   * Waits for the child's end and, if the job is being cancelled, for the application's end.
   *
   * @return the child's exit code; meaningless if {@link #isCancelled}
   */
  int await() throws InterruptedException {
    boolean abandoned = false;
    while (!abandoned && !process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      synchronized (this) {
        abandoned = state == State.CANCELLED;
      }
    }
    int exitCode = abandoned ? KILLED : process.exitValue();
    synchronized (this) {
      if (state == State.RUNNING) {
        state = State.BETWEEN_CLIENTS;
      }
      awaitCancel();
    }
    return exitCode;
  }

  /** Waits before another child is started; returns early if the job is cancelled. */
  synchronized void pause(long millis) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    while (state == State.BETWEEN_CLIENTS && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
  }

  /**
   * Declares that no further child will be started: later cancels have no effect. Waits for a
   * cancel that is already in progress.
   */
  synchronized void finish() throws InterruptedException {
    if (state == State.BETWEEN_CLIENTS) {
      state = State.ENDED;
    }
    awaitCancel();
  }

  synchronized boolean isCancelled() {
    return state == State.CANCELLING || state == State.CANCELLED;
  }

  /**
   * Ends the child and its application, and returns when both have ended. A second call waits for
   * the first call; a call after the attempt's end has no effect; a call before the attempt's start
   * prevents the start.
   */
  void cancel(Application application) throws InterruptedException {
    if (beginCancel()) {
      finishCancel(application);
    } else {
      synchronized (this) {
        awaitCancel();
      }
    }
  }

  /**
   * Like {@link #cancel}, but returns as soon as the child has received SIGTERM; a second call has
   * no effect.
   */
  void cancelAsync(Application application) throws InterruptedException {
    if (!beginCancel()) {
      return;
    }
    Thread thread =
        new Thread(
            () -> {
              try {
                finishCancel(application);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "tony-cancel");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // this machine has no thread left
      finishCancel(application);
    }
  }

  /**
   * Sends SIGTERM to the child; returns false if there is nothing to end or another thread is
   * cancelling.
   */
  private boolean beginCancel() {
    synchronized (this) {
      if (state == State.NEW) {
        state = State.CANCELLED;
      }
      if (state != State.RUNNING && state != State.BETWEEN_CLIENTS) {
        return false;
      }
      state = State.CANCELLING;
      notifyAll();
    }
    terminate(process);
    return true;
  }

  /**
   * Waits for the child's end, kills the child after its time limit, and makes sure that the
   * application has ended.
   */
  private void finishCancel(Application application) throws InterruptedException {
    try {
      if (!stop(application)) {
        application.kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      log.error("Cancelling was interrupted; whether the application is over is unknown.");
      throw e;
    } finally {
      synchronized (this) {
        state = State.CANCELLED;
        notifyAll();
      }
    }
  }

  private synchronized void awaitCancel() throws InterruptedException {
    while (state == State.CANCELLING) {
      wait();
    }
  }

  /** Waits for the child; returns true if the child and its application have ended. */
  private boolean stop(Application application) throws InterruptedException {
    long limit = application.stopLimitMillis();
    if (process.waitFor(limit, TimeUnit.MILLISECONDS)) {
      return application.isFinished(process.exitValue());
    }
    log.warn("TonY's client does not answer SIGTERM; it is killed after " + limit + " ms.");
    process.destroyForcibly();
    if (!process.waitFor(KILL_LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
      log.error("TonY's client does not even end on SIGKILL, after " + KILL_LIMIT_MILLIS + " ms.");
    }
    return false;
  }

  /**
   * Sends SIGTERM. {@link Process#destroy} would also close the child's output, so the log would
   * lack the client's last lines; Java 9's process handle leaves the output open. Java 8 has no
   * process handle, so there {@link Process#destroy} is used.
   */
  private static void terminate(Process process) {
    try {
      Object handle = Process.class.getMethod("toHandle").invoke(process);
      Class.forName("java.lang.ProcessHandle").getMethod("destroy").invoke(handle);
    } catch (NoSuchMethodException
        | ClassNotFoundException
        | IllegalAccessException
        | InvocationTargetException e) {
      process.destroy();
    }
  }
}
