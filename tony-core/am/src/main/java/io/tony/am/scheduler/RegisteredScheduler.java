package io.tony.am.scheduler;

import io.tony.am.loop.EventSink;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.Map;

/** A scheduler with which this ApplicationMaster is registered. */
public interface RegisteredScheduler {
  /**
   * Returns the queue in which the scheduler has put the job; empty if the scheduler has no queues.
   */
  String queue();

  /**
   * Requests containers before the job's first decision is in the event log. If this
   * ApplicationMaster is lost before that, the scheduler drops the requests.
   *
   * @param wanted number of containers of each role that the first decision will request
   */
  void requestEarly(Map<RoleSpec, Integer> wanted);

  /**
   * Creates the object for the job's containers, whose events go to the sink. May be called only
   * once.
   */
  Containers containers(EventSink sink) throws IOException;
}
