package io.tony.azkaban;

/**
 * A call into foreign code that may block for minutes, such as a token request to a service that
 * does not answer. Another thread can interrupt the call; the calling thread's interrupt flag is
 * cleared when the call has ended.
 */
final class InterruptibleCall {
  private Thread caller;
  private boolean interrupted;

  synchronized void begin() {
    caller = Thread.currentThread();
  }

  /** Interrupts the running call; has no effect if no call is running. */
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
      Thread.interrupted(); // the interrupt was meant for the call only
    }
  }
}
