package io.tony.runtime;

/**
 * Protocol of the store in the ApplicationMaster through which the processes of a framework find
 * each other.
 */
public enum StoreProtocol {
  /** No store: addresses and ranks suffice for the framework. */
  NONE,
  /** Keys, counters and barriers over HTTP; requests must contain a token. */
  HTTP,
  /**
   * Keys over HTTP without a token, because the client of Horovod's workers cannot send one. As
   * with horovodrun's own server, any process that can connect to the port can read and change the
   * store.
   */
  OPEN_HTTP,
  /**
   * The Process Management Interface, version 1, by which the processes of MPICH and its
   * derivatives find each other. The protocol has no token.
   */
  PMI
}
