package io.tony.executor.rpc;

/** A Hadoop token with which an executor authenticates to its ApplicationMaster. */
public final class JobToken {
  private final byte[] identifier;
  private final byte[] password;

  /**
   * Creates a token.
   *
   * @param identifier names the caller; not secret
   * @param password proves the caller's identity; never sent
   */
  public JobToken(byte[] identifier, byte[] password) {
    this.identifier = identifier.clone();
    this.password = password.clone();
  }

  byte[] identifier() {
    return identifier;
  }

  byte[] password() {
    return password;
  }
}
