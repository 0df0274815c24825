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
 * Selects the tokens with which a job's programs access file systems and other services. When these
 * tokens are renewed, a client sends the new ones through the ApplicationMaster to the executors.
 */
public final class DelegatedTokens {
  private DelegatedTokens() {}

  /**
   * Returns the credentials that programs may have, under the same aliases: tokens of file systems
   * and services, and secret keys that a site's credential provider added. Excludes the tokens for
   * YARN and for the ApplicationMaster, and the secret key of the application ({@link JobKey}).
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

  /**
   * Returns a message with those of {@code tokens} that programs may have.
   *
   * @param version version of the tokens; greater for newer tokens
   */
  public static Tokens message(long version, Credentials tokens) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    of(tokens).writeTokenStorageToStream(new DataOutputStream(bytes));
    return Tokens.newBuilder()
        .setVersion(version)
        .setCredentials(ByteString.copyFrom(bytes.toByteArray()))
        .build();
  }

  /**
   * Returns those credentials of a message that programs may have.
   *
   * @throws IOException if the message is malformed
   */
  public static Credentials read(Tokens message) throws IOException {
    Credentials tokens = new Credentials();
    tokens.readTokenStorageStream(
        new DataInputStream(new ByteArrayInputStream(message.getCredentials().toByteArray())));
    return of(tokens);
  }
}
