package io.tony.client.login;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
  private static volatile Set<String> away = Set.of();
  private static final Map<String, Instant> RENEWED = new ConcurrentHashMap<>();
  private static final Map<String, Integer> COUNTS = new ConcurrentHashMap<>();

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
      String service = token.getService().toString();
      if (away.contains(service)) {
        throw new IOException("the NameNode is in safe mode");
      }
      RENEWED.put(service, now);
      COUNTS.merge(service + now, 1, Integer::sum);
      return now.plus(Duration.ofDays(1)).toEpochMilli();
    }

    @Override
    public void cancel(Token<?> token, Configuration conf) {}
  }

  /** What time it is, and whether the service answers. */
  public static void at(Instant time, boolean answers) {
    at(time, answers ? Set.of() : Set.of("hdfs"));
  }

  /** The same of some services. */
  public static void at(Instant time, Set<String> doNotAnswer) {
    now = time;
    away = doNotAnswer;
  }

  /** When a token of the service was renewed last. */
  public static Instant renewed(String service) {
    return RENEWED.get(service);
  }

  /** How many tokens of the service were renewed at that time. */
  public static int renewals(String service, Instant time) {
    return COUNTS.getOrDefault(service + time, 0);
  }

  /** A set of one token. */
  public static Credentials take() {
    return take(List.of("hdfs"));
  }

  /** A set of a token of each of these services. */
  public static Credentials take(List<String> services) {
    Identifier identifier = new Identifier();
    identifier.setIssueDate(now.toEpochMilli());
    identifier.setMaxDate(now.plus(Duration.ofDays(7)).toEpochMilli());
    Credentials credentials = new Credentials();
    for (String service : services) {
      Text name = new Text(service);
      credentials.addToken(name, new Token<>(identifier.getBytes(), new byte[0], KIND, name));
    }
    return credentials;
  }
}
