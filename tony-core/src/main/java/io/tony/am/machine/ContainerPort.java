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

  /** Sets all nodes from which the job takes no container, in place of the previous ones. */
  void avoid(Set<String> nodes);
}
