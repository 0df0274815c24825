package io.tony.am.scheduler;

import io.tony.am.loop.EventSink;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.Map;

/** A scheduler that knows of this ApplicationMaster by now. */
public interface RegisteredScheduler {
  /** Where the scheduler has put the job; empty where it has no queues. */
  String queue();

  /**
   * Asks for containers before the job has decided to. Should this ApplicationMaster be lost before
   * that is recorded, the scheduler forgets what it asked for.
   *
   * @param wanted what the job's first decision will ask for
   */
  void requestEarly(Map<RoleSpec, Integer> wanted);

  /** The job's containers, of which the sink is told; to be made once. */
  Containers containers(EventSink sink) throws IOException;
}
