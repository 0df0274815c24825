package io.tony.protocol;

import io.tony.protocol.proto.TonyProtos.Tokens;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.thirdparty.protobuf.ByteString;

/**
 * The tokens with which a job's programs act at file systems and other services, and their way from
 * a client through the ApplicationMaster to the executors when newer ones take their place.
 */
public final class DelegatedTokens {
  private DelegatedTokens() {}

  /**
   * What of these credentials programs may have, by the names that it has there: tokens of file
   * systems and services, and the secret keys that a site's credential provider added. The job's
   * own key is never among them.
   */
  public static Credentials of(Credentials all) {
    Credentials allowed = new Credentials();
    all.getTokenMap()
        .forEach(
            (alias, token) -> {
              if (!TokenKinds.NOT_FOR_PROGRAMS.contains(token.getKind().toString())) {
                allowed.addToken(alias, token);
              }
            });
    all.getSecretKeyMap()
        .forEach(
            (alias, key) -> {
              if (!alias.toString().equals(TokenKinds.JOB_KEY)) {
                allowed.addSecretKey(alias, key);
              }
            });
    return allowed;
  }

  /** A message with them. */
  public static Tokens message(long version, Credentials tokens) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    of(tokens).writeTokenStorageToStream(new DataOutputStream(bytes));
    return Tokens.newBuilder()
        .setVersion(version)
        .setCredentials(ByteString.copyFrom(bytes.toByteArray()))
        .build();
  }

  /** What a message holds. */
  public static Credentials read(Tokens message) throws IOException {
    Credentials tokens = new Credentials();
    tokens.readTokenStorageStream(
        new DataInputStream(new ByteArrayInputStream(message.getCredentials().toByteArray())));
    return of(tokens);
  }
}
