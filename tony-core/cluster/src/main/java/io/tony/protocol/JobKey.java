package io.tony.protocol;

import java.security.SecureRandom;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.SecretManager;
import org.apache.hadoop.security.token.Token;

/**
 * The secret key of one application. The tokens with which executors and clients call the
 * ApplicationMaster are derived from this key. The client creates the key at submission and passes
 * it in the credentials of the ApplicationMaster's container, so that all AM attempts have the same
 * key. For later clients of the job's owner, the key is also in the staging folder, which only the
 * owner can read. Executors get a token, never the key.
 */
public final class JobKey extends SecretManager<TonyToken> {
  private static final Text ALIAS = new Text(TokenKinds.JOB_KEY);
  private static final int BYTES = 32;

  private final String application;
  private final byte[] bytes;
  private final SecretKey key;

  private JobKey(String application, byte[] bytes) {
    this.application = application;
    this.bytes = bytes.clone();
    this.key = createSecretKey(this.bytes);
  }

  public static JobKey random(String application) {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return new JobKey(application, bytes);
  }

  /**
   * Returns the key of an application from these credentials.
   *
   * @throws IllegalStateException if the credentials contain no key
   */
  public static JobKey from(Credentials credentials, String application) {
    byte[] bytes = credentials.getSecretKey(ALIAS);
    if (bytes == null) {
      throw new IllegalStateException("the credentials hold no job key of " + application);
    }
    return new JobKey(application, bytes);
  }

  public void putInto(Credentials credentials) {
    credentials.addSecretKey(ALIAS, bytes);
  }

  /**
   * Creates a token for a caller of this application. The token has no service: the caller sets it
   * to the ApplicationMaster's address.
   */
  public Token<TonyToken> token(TonyToken.Audience audience) {
    return new Token<>(new TonyToken(application, audience), this);
  }

  @Override
  protected byte[] createPassword(TonyToken identifier) {
    return createPassword(identifier.getBytes(), key);
  }

  @Override
  public byte[] retrievePassword(TonyToken identifier) throws InvalidToken {
    if (!identifier.equals(new TonyToken(application, identifier.audience()))) {
      throw new InvalidToken("the token is for another application than " + application);
    }
    return createPassword(identifier);
  }

  @Override
  public TonyToken createIdentifier() {
    return new TonyToken();
  }
}
