package io.tony.am.machine;

/** Where executors of an earlier ApplicationMaster look for this one. */
@FunctionalInterface
public interface AddressPort {
  void publish();
}
