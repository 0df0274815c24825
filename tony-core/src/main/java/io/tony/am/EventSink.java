package io.tony.am;

import io.tony.am.machine.Event;

/** Where YARN's and the executors' callbacks leave what happened. Returns at once; never throws. */
@FunctionalInterface
public interface EventSink {
  void offer(Event event);
}
