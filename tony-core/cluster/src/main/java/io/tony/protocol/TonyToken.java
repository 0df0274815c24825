package io.tony.protocol;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.jspecify.annotations.Nullable;

/**
 * Token with which an executor or a client of the job's owner authenticates to an
 * ApplicationMaster. The token's password is derived from the application's {@link JobKey}, so a
 * token is valid for one application and one audience only. Authentication is Hadoop's own (SASL
 * with tokens) and works with and without Kerberos. YARN's client-to-AM tokens are not used,
 * because they exist only with Kerberos.
 */
public final class TonyToken extends TokenIdentifier {
  /** Kind of the token; also the alias of the ApplicationMaster's own token in its credentials. */
  public static final Text KIND = new Text(TokenKinds.JOB);

  /** Group of callers, which determines the calls that are allowed. */
  public enum Audience {
    /** May register a task, wait for commands, and send reports. */
    EXECUTOR,
    /** May watch and stop the job. */
    CLIENT
  }

  private String application = "";
  private Audience audience = Audience.EXECUTOR;

  /**
   * Creates an empty token. For Hadoop only, which then calls {@link #readFields} to set the
   * content.
   */
  public TonyToken() {}

  public TonyToken(String application, Audience audience) {
    this.application = application;
    this.audience = audience;
  }

  public Audience audience() {
    return audience;
  }

  @Override
  public Text getKind() {
    return KIND;
  }

  @Override
  public UserGroupInformation getUser() {
    return UserGroupInformation.createRemoteUser(userOf(audience));
  }

  /** Returns the user name that callers of this audience have in Hadoop's RPC server. */
  public static String userOf(Audience audience) {
    return "tony-" + audience.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeUTF(application);
    out.writeUTF(audience.name());
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    application = in.readUTF();
    String name = in.readUTF();
    try {
      audience = Audience.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new IOException("a token for an unknown audience", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TonyToken token
        && token.application.equals(application)
        && token.audience == audience;
  }

  @Override
  public int hashCode() {
    return application.hashCode() * 31 + audience.hashCode();
  }

  /** Returns the token whose service is {@code service}; null if there is none. */
  @SuppressWarnings("unchecked") // only TonyTokens have this kind
  static @Nullable Token<TonyToken> find(
      Text service, Iterable<Token<? extends TokenIdentifier>> tokens) {
    for (Token<? extends TokenIdentifier> token : tokens) {
      if (token.getKind().equals(KIND) && token.getService().equals(service)) {
        return (Token<TonyToken>) token;
      }
    }
    return null;
  }
}
