package io.tony.azkaban;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/**
 * The client's JVM in one attempt of a job, or several one after the other, which one thread starts
 * and awaits and any other may cancel at any time. Cancelling is over when the application is, and
 * the thread that awaits goes on only then.
 */
final class ClientProcess {

  /** Between two looks whether a cancel has given up on a child that does not end. */
  private static final long POLL_MILLIS = 1_000;

  /** As a shell reports SIGKILL. */
  private static final int KILLED = 137;

  /** SIGKILL needs no more than the kernel's attention. */
  private static final long KILL_LIMIT_MILLIS = 5_000;

  /** How far the attempt is, and what leads on from there. */
  private enum State {
    /** Nothing has been started. A start leads to RUNNING, a cancel to CANCELLED. */
    NEW,
    /** The child runs, or has ended unnoticed. Its end leads to BETWEEN, a cancel to CANCELLING. */
    RUNNING,
    /** Another child may be started. {@link #finish} leads to ENDED, a cancel to CANCELLING. */
    BETWEEN_CLIENTS,
    /** A thread is ending the child and its application, and leads to CANCELLED. */
    CANCELLING,
    /** Final: nothing was started, or what was is over, as far as can be known. */
    CANCELLED,
    /** Final: the attempt was over before anyone cancelled it. */
    ENDED
  }

  /** What a child stands for. */
  interface Application {
    /** How long a child may take to end it in order. */
    long stopLimitMillis();

    /** Whether it is over when its child has ended in this way. */
    boolean isFinished(int exitCode);

    /** Ends one whose client cannot do so any more. */
    void kill() throws InterruptedException;
  }

  private final Logger log;
  private State state = State.NEW;
  private Process process;

  ClientProcess(Logger log) {
    this.log = log;
  }

  /** Starts a child, unless the job has been cancelled before; null then. */
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
   * Waits for the child's end and, when it is being cancelled, for its application's.
   *
   * @return the child's exit code, which says nothing of a job that {@link #isCancelled}
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

  /** Waits before another child is started, or until the job is cancelled. */
  synchronized void pause(long millis) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    while (state == State.BETWEEN_CLIENTS && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
  }

  /**
   * No further child is needed: from now on a cancel does nothing. Waits for the end of one that
   * was quicker.
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
   * Ends the child and its application, and returns when both are over. A second call waits for the
   * first; a call after the attempt's end does nothing; a call before its start prevents it.
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

  /** Does the same, but returns when the child has got SIGTERM; a second call does nothing. */
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

  /** Sends the child SIGTERM; false where there is nothing to end, or another thread ends it. */
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

  /** Waits for the child's end, or brings it about, and for its application's. */
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

  /** True when the child has ended and its application as well. */
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
   * SIGTERM. {@link Process#destroy} would also close the child's output, and the log would lack
   * the client's account of the end; Java 9's handle does not. On Java 8 there is only the former.
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
