package io.tony.azkaban;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/**
 * The client's JVM in one attempt of a job, which one thread starts and awaits and any other may
 * cancel at any time. Cancelling is over when the application is.
 */
final class ClientProcess {

  /** The client asks the ApplicationMaster to stop, then YARN; it usually takes 2 s. */
  static final long TERM_LIMIT_MILLIS = 20_000;

  /** SIGKILL needs no more than the kernel's attention. */
  private static final long KILL_LIMIT_MILLIS = 5_000;

  /** How far the attempt is, and what leads on from there. */
  private enum State {
    /** Nothing has been started. A start leads to RUNNING, a cancel to CANCELLED. */
    NEW,
    /** The child runs, or has ended unnoticed. Its end leads to ENDED, a cancel to CANCELLING. */
    RUNNING,
    /** A thread is ending the child and its application, and leads to CANCELLED. */
    CANCELLING,
    /** Final: nothing was started, or what was is over, as far as can be known. */
    CANCELLED,
    /** Final: the child ended before anyone cancelled it. */
    ENDED
  }

  /** Ends an application whose client cannot do so any more. */
  interface OrphanKill {
    void kill() throws InterruptedException;
  }

  private final Logger log;
  private final long termLimitMillis;
  private State state = State.NEW;
  private Process process;

  ClientProcess(Logger log, long termLimitMillis) {
    this.log = log;
    this.termLimitMillis = termLimitMillis;
  }

  /** Starts the child, unless the job has been cancelled before; null then. */
  synchronized Process start(ProcessBuilder builder) throws IOException {
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
    int exitCode = process.waitFor();
    synchronized (this) {
      if (state == State.RUNNING) {
        state = State.ENDED;
      }
      awaitCancel();
    }
    return exitCode;
  }

  synchronized boolean isCancelled() {
    return state == State.CANCELLING || state == State.CANCELLED;
  }

  /**
   * Ends the child and its application, and returns when both are over. A second call waits for the
   * first; a call after the child's end does nothing; a call before its start prevents it.
   */
  void cancel(OrphanKill orphanKill) throws InterruptedException {
    synchronized (this) {
      if (state == State.NEW) {
        state = State.CANCELLED;
      }
      if (state != State.RUNNING) {
        awaitCancel();
        return;
      }
      state = State.CANCELLING;
    }
    try {
      if (!stop()) {
        orphanKill.kill();
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

  /** Ends the child; true when its exit code says that its application is over as well. */
  private boolean stop() throws InterruptedException {
    terminate(process);
    if (process.waitFor(termLimitMillis, TimeUnit.MILLISECONDS)) {
      return ClientExit.of(process.exitValue()).applicationIsFinished();
    }
    log.warn(
        "TonY's client does not answer SIGTERM; it is killed after " + termLimitMillis + " ms.");
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
