package io.tony.am.machine;

import io.tony.model.JobResult;
import java.time.Duration;

/** What the thread that owns the job's state does for it: timers, and the end. */
public interface LoopPort {
  /** Sets a timer anew, which expires into an {@link Event.TimerFired}. */
  void set(Timer timer, Duration delay);

  void cancel(Timer timer);

  void finish(JobResult result);
}
