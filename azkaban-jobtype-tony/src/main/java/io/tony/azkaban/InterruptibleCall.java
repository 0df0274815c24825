package io.tony.azkaban;

/**
 * A call into foreign code that may wait for minutes, such as a token of a service that does not
 * answer. Another thread can interrupt it; the calling thread is not interrupted any more when the
 * call has ended.
 */
final class InterruptibleCall {
  private Thread caller;
  private boolean interrupted;

  synchronized void begin() {
    caller = Thread.currentThread();
  }

  /** Has no effect while no call runs. */
  synchronized void interrupt() {
    if (caller != null) {
      interrupted = true;
      caller.interrupt();
    }
  }

  synchronized void end() {
    caller = null;
    if (interrupted) {
      interrupted = false;
      Thread.interrupted(); // that one has done its work
    }
  }
}
