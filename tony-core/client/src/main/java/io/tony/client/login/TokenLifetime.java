package io.tony.client.login;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.delegation.AbstractDelegationTokenIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifetime of a set of tokens, which is that of the token that expires first. All times are by the
 * clocks of the servers that issued the tokens.
 *
 * @param issuedAt when that token was issued
 * @param latestEnd when that token expires at the latest, even if it is renewed
 * @param end when the first of the tokens expires unless it is renewed again; {@code latestEnd} if
 *     another process renews the tokens
 */
public record TokenLifetime(Instant issuedAt, Instant latestEnd, Instant end) {
  private static final Logger LOG = LoggerFactory.getLogger(TokenLifetime.class);

  /** Time for which a token of HDFS and YARN is valid without renewal, by default. */
  private static final Duration DEFAULT_RENEW_INTERVAL = Duration.ofDays(1);

  /**
   * Returns the time from the issue to the latest end, which the tokens reach only with renewals.
   */
  public Duration maxDuration() {
    return Duration.between(issuedAt, latestEnd);
  }

  /**
   * Returns the lifetime of tokens that another process renews as long as possible. Empty if no
   * token states its lifetime.
   */
  public static Optional<TokenLifetime> of(Credentials credentials) {
    return credentials.getAllTokens().stream()
        .flatMap(token -> of(token).stream())
        .min(Comparator.comparing(lifetime -> lifetime.latestEnd));
  }

  /**
   * Returns the lifetime of one token; empty if the token does not state it, as for some object
   * stores.
   */
  private static Optional<TokenLifetime> of(Token<? extends TokenIdentifier> token) {
    try {
      if (token.decodeIdentifier() instanceof AbstractDelegationTokenIdentifier identifier
          && identifier.getMaxDate() > identifier.getIssueDate()) {
        Instant latestEnd = Instant.ofEpochMilli(identifier.getMaxDate());
        return Optional.of(
            new TokenLifetime(
                Instant.ofEpochMilli(identifier.getIssueDate()), latestEnd, latestEnd));
      }
    } catch (IOException e) {
      LOG.info("A token of {} is of an unknown kind: {}", token.getService(), e.toString());
    }
    return Optional.empty();
  }

  /**
   * Renews all tokens that have not expired. The current user must be their renewer.
   *
   * <p>If the renewal of a token fails, the others are not affected: a token that was renewed
   * before is assumed to be valid until its last known end, any other token for one day from {@code
   * now}.
   *
   * @param ends end of each renewed token; updated by this method
   * @param failures error of the last renewal, by service, for tokens that were renewed before;
   *     updated by this method
   * @return the lifetime of the tokens that have not expired; empty if there are none, or if none
   *     states its lifetime
   */
  public static Optional<TokenLifetime> renew(
      Credentials credentials,
      Map<Token<?>, Instant> ends,
      Map<String, IOException> failures,
      Instant now,
      Configuration conf)
      throws InterruptedException {
    Optional<TokenLifetime> life =
        of(credentials).filter(lifetime -> now.isBefore(lifetime.latestEnd));
    boolean any = false;
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      if (!isExpired(token, ends, now)) {
        any = true;
        Instant end = renew(token, ends, failures, now, conf);
        life = life.map(lifetime -> lifetime.cappedAt(end));
      }
    }
    return any ? life : Optional.empty();
  }

  /**
   * Returns true if one of the tokens has expired since its last renewal.
   *
   * @param ends end of each renewed token
   */
  public static boolean isAnyExpired(
      Credentials credentials, Map<Token<?>, Instant> ends, Instant now) {
    return credentials.getAllTokens().stream().anyMatch(token -> isExpired(token, ends, now));
  }

  private static boolean isExpired(Token<?> token, Map<Token<?>, Instant> ends, Instant now) {
    return !now.isBefore(ends.getOrDefault(token, Instant.MAX));
  }

  private static Instant renew(
      Token<?> token,
      Map<Token<?>, Instant> ends,
      Map<String, IOException> failures,
      Instant now,
      Configuration conf)
      throws InterruptedException {
    String service = token.getService().toString();
    try {
      if (!token.isManaged()) {
        return Instant.MAX;
      }
      Instant end = Instant.ofEpochMilli(token.renew(conf));
      ends.put(token, end);
      return end;
    } catch (IOException e) {
      if (ends.containsKey(token)) {
        failures.put(service, e);
        return ends.get(token);
      }
      LOG.warn("Until when a token of {} holds is not known: {}", service, e.toString());
      return now.plus(DEFAULT_RENEW_INTERVAL);
    }
  }

  /**
   * Cancels all tokens at the services that issued them. Failures are only logged. The current user
   * must be the renewer of the tokens.
   */
  public static void cancel(Credentials credentials, Configuration conf)
      throws InterruptedException {
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      try {
        if (token.isManaged()) {
          token.cancel(conf);
        }
      } catch (IOException e) {
        LOG.info("A token of {} is not cancelled: {}", token.getService(), e.toString());
      }
    }
  }

  private TokenLifetime cappedAt(Instant other) {
    return other.isBefore(end) ? new TokenLifetime(issuedAt, latestEnd, other) : this;
  }
}
