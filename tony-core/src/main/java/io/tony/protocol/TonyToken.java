package io.tony.protocol;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;

/**
 * Who calls an ApplicationMaster: one of its executors or a client of its owner. The password that
 * goes with it is derived from the application's job key ({@link JobKey}), so that a token of one
 * application or one audience opens nothing else. The mechanism is Hadoop's own (SASL with tokens)
 * and works with and without Kerberos; YARN's client-to-AM tokens exist with Kerberos only.
 */
public final class TonyToken extends TokenIdentifier {
  /** Token kind, and the alias of the ApplicationMaster's own service in its credentials. */
  public static final Text KIND = new Text(TokenKinds.JOB);

  /** What a caller may do. */
  public enum Audience {
    /** Register, wait, and report as a task. */
    EXECUTOR,
    /** Watch and stop the job. */
    CLIENT
  }

  private String application = "";
  private Audience audience = Audience.EXECUTOR;

  /** For Hadoop, which fills it by {@link #readFields}. */
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

  /** Name of the user that Hadoop's server takes a caller of this audience for. */
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

  /** The token for a service; null when there is none. */
  @SuppressWarnings("unchecked") // the kind says what it is
  static Token<TonyToken> find(Text service, Iterable<Token<? extends TokenIdentifier>> tokens) {
    for (Token<? extends TokenIdentifier> token : tokens) {
      if (token.getKind().equals(KIND) && token.getService().equals(service)) {
        return (Token<TonyToken>) token;
      }
    }
    return null;
  }
}
