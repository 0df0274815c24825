package io.tony.client.login;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.delegation.AbstractDelegationTokenIdentifier;

/**
 * How long a set of tokens holds: as long as the first of them that ends.
 *
 * @param end when that is
 * @param longest how long that one can hold from its issue, if it is renewed all the time
 */
public record TokenLife(Instant end, Duration longest) {
  /** Of tokens that are renewed for as long as that is possible; nothing where none tells. */
  public static Optional<TokenLife> of(Credentials credentials) throws IOException {
    TokenLife shortest = null;
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      if (token.decodeIdentifier() instanceof AbstractDelegationTokenIdentifier identifier) {
        Instant end = Instant.ofEpochMilli(identifier.getMaxDate());
        if (shortest == null || end.isBefore(shortest.end())) {
          Instant issued = Instant.ofEpochMilli(identifier.getIssueDate());
          shortest = new TokenLife(end, Duration.between(issued, end));
        }
      }
    }
    return Optional.ofNullable(shortest);
  }

  /** Renews them, as their renewer; they hold until that is due again. */
  public static Optional<TokenLife> renew(Credentials credentials, Configuration conf)
      throws IOException, InterruptedException {
    Optional<TokenLife> life = of(credentials);
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      if (token.isManaged()) {
        Instant end = Instant.ofEpochMilli(token.renew(conf));
        life =
            life.map(whole -> end.isBefore(whole.end) ? new TokenLife(end, whole.longest) : whole);
      }
    }
    return life;
  }
}
