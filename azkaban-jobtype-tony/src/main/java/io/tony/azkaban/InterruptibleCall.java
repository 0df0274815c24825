package io.tony.azkaban;

import org.jspecify.annotations.Nullable;

/**
 * Makes a call into foreign code interruptible by other threads, for example a request for tokens
 * to a service that does not answer for minutes. The calling thread encloses the call in {@link
 * #begin} and {@link #end}; {@code end} clears its interrupt flag if {@link #interrupt} has set it.
 */
final class InterruptibleCall {
  private @Nullable Thread caller;
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
      // Clear the interrupt flag, because the interrupt was meant only for the call.
      Thread.interrupted();
    }
  }
}
