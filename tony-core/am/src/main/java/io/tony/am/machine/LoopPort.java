package io.tony.am.machine;

import io.tony.model.JobResult;
import java.time.Duration;

/** Control of the event loop by actions: its timers and its end. */
public interface LoopPort {
  /**
   * Sets or resets a timer. When the timer fires, the loop receives an {@link Event.TimerFired}.
   */
  void set(Timer timer, Duration delay);

  void cancel(Timer timer);

  void finish(JobResult result);
}
