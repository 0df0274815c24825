package io.tony.executor.rpc;

/** A token of Hadoop's, with which its holder proves who calls. */
public final class JobToken {
  private final byte[] identifier;
  private final byte[] password;

  /**
   * Keeps both.
   *
   * @param identifier says who calls; everybody may know it
   * @param password proves it, and is never sent
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
