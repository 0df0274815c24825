package io.tony.am.machine;

import io.tony.model.JobResult;
import java.time.Duration;

/** Services of the thread that owns the job's state: timers, and the end of the loop. */
public interface LoopPort {
  /**
   * Sets or resets a timer. When the timer fires, the loop receives an {@link Event.TimerFired}.
   */
  void set(Timer timer, Duration delay);

  void cancel(Timer timer);

  void finish(JobResult result);
}
