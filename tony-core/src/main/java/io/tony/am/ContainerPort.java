package io.tony.am;

import io.tony.model.RoleSpec;

/** Asks the scheduler for containers. Answers come as events; no call waits. */
public interface ContainerPort {
  void request(RoleSpec role, int count);

  void cancel(RoleSpec role, int count);

  void release(String container);
}
