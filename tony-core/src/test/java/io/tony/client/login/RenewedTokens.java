package io.tony.client.login;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenRenewer;
import org.apache.hadoop.security.token.delegation.AbstractDelegationTokenIdentifier;

/** Delegation tokens of a service that may be away: each renewal holds for a day, seven in all. */
public final class RenewedTokens {
  private static final Text KIND = new Text("TEST_RENEWED");

  private static volatile Instant now = Instant.EPOCH;
  private static volatile boolean away;

  private RenewedTokens() {}

  /** Found by its name in META-INF/services. */
  public static final class Identifier extends AbstractDelegationTokenIdentifier {
    @Override
    public Text getKind() {
      return KIND;
    }
  }

  /** Found by its name in META-INF/services. */
  public static final class Renewer extends TokenRenewer {
    @Override
    public boolean handleKind(Text kind) {
      return kind.equals(KIND);
    }

    @Override
    public boolean isManaged(Token<?> token) {
      return true;
    }

    @Override
    public long renew(Token<?> token, Configuration conf) throws IOException {
      if (away) {
        throw new IOException("the NameNode is in safe mode");
      }
      return now.plus(Duration.ofDays(1)).toEpochMilli();
    }

    @Override
    public void cancel(Token<?> token, Configuration conf) {}
  }

  /** What time it is, and whether the service answers. */
  public static void at(Instant time, boolean answers) {
    now = time;
    away = !answers;
  }

  /** A set of one token. */
  public static Credentials take() {
    Identifier identifier = new Identifier();
    identifier.setIssueDate(now.toEpochMilli());
    identifier.setMaxDate(now.plus(Duration.ofDays(7)).toEpochMilli());
    Credentials credentials = new Credentials();
    credentials.addToken(
        KIND, new Token<>(identifier.getBytes(), new byte[0], KIND, new Text("hdfs")));
    return credentials;
  }
}
