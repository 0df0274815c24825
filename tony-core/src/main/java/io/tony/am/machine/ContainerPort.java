package io.tony.am.machine;

import io.tony.model.RoleSpec;
import java.util.Set;

/**
 * Sends the job's container requests to the scheduler. Answers arrive as events; no method blocks.
 */
public interface ContainerPort {
  void request(RoleSpec role, int count);

  void cancel(RoleSpec role, int count);

  void release(String container);

  /** Sets the nodes on which no container is taken. Replaces the previous set. */
  void avoid(Set<String> nodes);
}
