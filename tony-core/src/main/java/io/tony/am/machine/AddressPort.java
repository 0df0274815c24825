package io.tony.am.machine;

/** Where executors of an earlier ApplicationMaster look for this one. Does not wait. */
@FunctionalInterface
public interface AddressPort {
  void publish();
}
