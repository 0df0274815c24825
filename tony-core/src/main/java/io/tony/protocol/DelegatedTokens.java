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
 * The tokens with which a job's programs access file systems and other services. When tokens are
 * renewed, a client sends them through the ApplicationMaster to the executors.
 */
public final class DelegatedTokens {
  private DelegatedTokens() {}

  /**
   * Returns the credentials that programs may have, under their original aliases: tokens of file
   * systems and services, and secret keys that a site's credential provider added. Excludes tokens
   * for YARN and for the ApplicationMaster, and the job's own key.
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
   * Creates a message with the credentials that programs may have.
   *
   * @param version version of the tokens; newer tokens have a greater version
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
   * Returns the credentials of a message, reduced to those that programs may have.
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
