package io.tony.am.machine;

import io.tony.model.RoleSpec;
import java.util.Set;

/** Tells the scheduler what the job wants of it. Answers come as events; no call waits. */
public interface ContainerPort {
  void request(RoleSpec role, int count);

  void cancel(RoleSpec role, int count);

  void release(String container);

  /** Takes no container on these nodes from now on, and again on those not named. */
  void avoid(Set<String> nodes);
}
