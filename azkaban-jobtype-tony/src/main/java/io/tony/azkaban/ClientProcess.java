package io.tony.azkaban;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The client's JVM (called child) in one attempt of a job, or several children one after the other.
 * One thread starts each child and waits for it; other threads may cancel at any time. After a
 * cancel, {@link #await} returns only when the child's YARN application has ended too, or when its
 * end could not be determined.
 */
final class ClientProcess {

  /**
   * How often {@link #await} checks whether a cancel has finished although the child has not ended.
   */
  private static final long POLL_MILLIS = 1_000;

  /** Exit code of a process that SIGKILL ended, as a shell reports it. */
  private static final int KILLED = 137;

  /** How long a child may take to end after SIGKILL. */
  private static final long KILL_LIMIT_MILLIS = 5_000;

  /** The state of the attempt. */
  private enum State {
    /** No child has been started. The first start leads to RUNNING, a cancel to CANCELLED. */
    NEW,
    /**
     * A child is running, or has ended and {@link #await} has not noticed yet. The child's end
     * leads to BETWEEN_CLIENTS, a cancel to CANCELLING.
     */
    RUNNING,
    /**
     * The last child has ended, and another one may be started. {@link #finish} leads to ENDED, a
     * cancel to CANCELLING.
     */
    BETWEEN_CLIENTS,
    /** A thread is ending the child and its application. This leads to CANCELLED. */
    CANCELLING,
    /**
     * Final state after a cancel: no child was started, or the child and its application have been
     * ended as far as possible.
     */
    CANCELLED,
    /** Final state without a cancel: no further child will be started. */
    ENDED
  }

  /** The YARN application that a child submitted or follows. */
  interface Application {
    /**
     * Returns how long a child may take, after SIGTERM, to stop the application, in milliseconds.
     */
    long stopLimitMillis();

    /**
     * Returns true if the application has ended, or if none was submitted.
     *
     * @param exitCode of the child that submitted or followed the application
     */
    boolean isFinished(int exitCode);

    /** Ends the application if its child has not ended it, and waits for the end. */
    void kill() throws InterruptedException;
  }

  private final Logger log;
  private State state = State.NEW;
  private @Nullable Process process; // null before the first start

  ClientProcess(Logger log) {
    this.log = log;
  }

  /** Starts a child. Returns null, without a start, if the attempt has been cancelled. */
  synchronized @Nullable Process start(ProcessBuilder builder)
      throws IOException, InterruptedException {
    awaitCancel();
    if (state == State.CANCELLED) {
      return null;
    }
    Process started = builder.start();
    process = started;
    state = State.RUNNING;
    return started;
  }

  /** Returns the child that was started last. */
  private Process child() {
    return Objects.requireNonNull(process);
  }

  /**
   * Waits for the end of the child that was started last. If the attempt is being cancelled, also
   * waits until the cancel has finished.
   *
   * @return the child's exit code; meaningless if {@link #isCancelled}
   */
  int await() throws InterruptedException {
    boolean abandoned = false;
    while (!abandoned && !child().waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      synchronized (this) {
        abandoned = state == State.CANCELLED;
      }
    }
    int exitCode = abandoned ? KILLED : child().exitValue();
    synchronized (this) {
      if (state == State.RUNNING) {
        state = State.BETWEEN_CLIENTS;
      }
      awaitCancel();
    }
    return exitCode;
  }

  /**
   * Waits the given time; to be called before another child is started. Returns early if the
   * attempt is cancelled.
   */
  synchronized void pause(long millis) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    while (state == State.BETWEEN_CLIENTS && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
  }

  /**
   * Declares that no further child will be started, so that later cancels have no effect. If a
   * cancel is already in progress, waits until it has finished.
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
   * Cancels the attempt: ends the child and its application, and returns when both have ended. If
   * another thread is already cancelling, waits for that thread. Before the first start, prevents
   * the start. Has no effect after {@link #finish}.
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
   * Like {@link #cancel}, but returns as soon as SIGTERM has been sent to the child; a separate
   * thread does the rest. If that thread cannot be created, waits like {@link #cancel}. A second
   * call has no effect.
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
    } catch (OutOfMemoryError e) { // no further thread can be created
      finishCancel(application);
    }
  }

  /**
   * Begins to cancel the attempt: sends SIGTERM to the child and returns true. Returns false
   * without a signal if no child has been started (then marks the attempt as cancelled), if the
   * attempt is complete or if a cancel has already begun.
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
    terminate(child());
    return true;
  }

  /**
   * Waits for the child's end, sends SIGKILL to a child that exceeds its time limit, and ends the
   * application if the child has not ended it.
   */
  private void finishCancel(Application application) throws InterruptedException {
    try {
      if (!stop(application)) {
        application.kill();
      }
    } catch (InterruptedException e) {
      child().destroyForcibly();
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

  /**
   * Waits for the child's end, at most for its time limit, and then sends SIGKILL. Returns true if
   * the child ended in time and the application has ended.
   */
  private boolean stop(Application application) throws InterruptedException {
    long limit = application.stopLimitMillis();
    Process stopping = child();
    if (stopping.waitFor(limit, TimeUnit.MILLISECONDS)) {
      return application.isFinished(stopping.exitValue());
    }
    log.warn("TonY's client does not answer SIGTERM; it is killed after " + limit + " ms.");
    stopping.destroyForcibly();
    if (!stopping.waitFor(KILL_LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
      log.error("TonY's client does not even end on SIGKILL, after " + KILL_LIMIT_MILLIS + " ms.");
    }
    return false;
  }

  /**
   * Sends SIGTERM to the process by the process handle of Java 9, which leaves the process's output
   * open. {@link Process#destroy}, which is used on Java 8, would also close the output, and the
   * log would lack the client's last lines.
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
