package io.tony.protocol;

import java.security.SecureRandom;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.SecretManager;
import org.apache.hadoop.security.token.Token;

/**
 * The secret of one application, from which the tokens of its callers are derived. The client makes
 * it at submission; it travels in the credentials of the ApplicationMaster's container, so that
 * every attempt of the ApplicationMaster has the same one, and lies in the staging folder, readable
 * by the owner only, for the owner's later clients. Executors get a token, never the key.
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

  /** The key in these credentials; throws when there is none. */
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

  /** A token for a caller of this application; its service is set by who knows the address. */
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
