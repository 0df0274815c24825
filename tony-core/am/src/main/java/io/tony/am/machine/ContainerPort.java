package io.tony.am.machine;

import io.tony.model.RoleSpec;
import java.util.Set;

/**
 * Requests, withdraws and gives back containers. YARN's answers arrive as events; no method blocks.
 */
public interface ContainerPort {
  void request(RoleSpec role, int count);

  void cancel(RoleSpec role, int count);

  void release(String container);

  /** Sets the nodes from which the job takes no container. Replaces the previous set. */
  void avoid(Set<String> nodes);
}
