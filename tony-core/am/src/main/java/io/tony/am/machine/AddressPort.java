package io.tony.am.machine;

/**
 * Publishes the address of this ApplicationMaster, so that executors that an earlier
 * ApplicationMaster started find it. Does not block.
 */
@FunctionalInterface
public interface AddressPort {
  void publish();
}
