package io.tony.am.scheduler;

import io.tony.am.loop.EventSink;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.Map;

/** A scheduler at which this ApplicationMaster is registered. */
public interface RegisteredScheduler {
  /** Returns the queue in which the scheduler has placed the job; empty if it has no queues. */
  String queue();

  /**
   * Requests containers before the job's first decision is recorded. If this ApplicationMaster is
   * lost before that, the scheduler forgets the requests.
   *
   * @param wanted number of containers per role that the first decision will request
   */
  void requestEarly(Map<RoleSpec, Integer> wanted);

  /** Creates the job's containers, whose events go to the sink. May be called once only. */
  Containers containers(EventSink sink) throws IOException;
}
