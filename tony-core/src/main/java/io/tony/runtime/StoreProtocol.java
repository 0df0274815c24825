package io.tony.runtime;

/** Protocol of the store at which a framework's processes meet before they know each other. */
public enum StoreProtocol {
  /** No store: the framework needs addresses and ranks only. */
  NONE,
  /** Keys, counters and barriers over HTTP, for callers that send a token. */
  HTTP,
  /**
   * Keys over HTTP without a token, for Horovod's workers, whose client cannot send one. As with
   * horovodrun's own server, any process that reaches the port can read and write the store.
   */
  OPEN_HTTP,
  /**
   * The Process Management Interface, version 1, through which the processes of MPICH and its
   * derivatives find each other. The protocol has no token.
   */
  PMI
}
