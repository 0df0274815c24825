package io.tony.am.machine;

/**
 * Publishes the address where executors of an earlier ApplicationMaster find this one. Does not
 * block.
 */
@FunctionalInterface
public interface AddressPort {
  void publish();
}
