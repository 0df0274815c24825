package io.tony.runtime;

/** The store that a framework's processes meet at before they know each other. */
public enum StoreProtocol {
  /** None: addresses and ranks are all that the framework needs. */
  NONE,
  /** Keys, counters and barriers over HTTP, for callers that show a token. */
  HTTP,
  /**
   * Keys over HTTP without a token, for Horovod's workers, whose client cannot send one. Whoever
   * reaches the port can read and write it, as with horovodrun's own server.
   */
  OPEN_HTTP,
  /**
   * The Process Management Interface, version 1, by which MPICH and its relatives find each other.
   * The protocol knows no token.
   */
  PMI
}
