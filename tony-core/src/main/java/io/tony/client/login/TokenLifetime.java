package io.tony.client.login;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
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
 * How long a set of tokens holds: as long as the first of them that ends. By the clocks of those
 * who gave them.
 *
 * @param issuedAt when that one was given
 * @param latestEnd when it ends at the latest, however often it is renewed
 * @param end when it ends if it is not renewed again; {@code last} where somebody renews it
 */
public record TokenLifetime(Instant issuedAt, Instant latestEnd, Instant end) {
  private static final Logger LOG = LoggerFactory.getLogger(TokenLifetime.class);

  /** How long tokens of HDFS and YARN hold by default until they are renewed. */
  private static final Duration DEFAULT_RENEW_INTERVAL = Duration.ofDays(1);

  /** From the issue, with all renewals. */
  public Duration maxDuration() {
    return Duration.between(issuedAt, latestEnd);
  }

  /** Of tokens that are renewed for as long as that is possible; nothing where none tells. */
  public static Optional<TokenLifetime> of(Credentials credentials) {
    TokenLifetime earliest = null;
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      TokenLifetime lifetime = of(token);
      if (lifetime != null
          && (earliest == null || lifetime.latestEnd.isBefore(earliest.latestEnd))) {
        earliest = lifetime;
      }
    }
    return Optional.ofNullable(earliest);
  }

  /** Null for one that does not say how long it holds, as those of some object stores. */
  private static TokenLifetime of(Token<? extends TokenIdentifier> token) {
    try {
      if (token.decodeIdentifier() instanceof AbstractDelegationTokenIdentifier identifier
          && identifier.getMaxDate() > identifier.getIssueDate()) {
        Instant latestEnd = Instant.ofEpochMilli(identifier.getMaxDate());
        return new TokenLifetime(
            Instant.ofEpochMilli(identifier.getIssueDate()), latestEnd, latestEnd);
      }
    } catch (IOException e) {
      LOG.info("A token of {} is of an unknown kind: {}", token.getService(), e.toString());
    }
    return null;
  }

  /**
   * Renews those that have not ended, each for itself: a service that does not answer ends no
   * tokens of others. The current user must be their renewer. A token that never could be renewed
   * counts as one that holds for a day from now; one that was renewed before, and is not, until it
   * was told to end.
   *
   * @param ends when tokens end that were renewed before; those that are renewed now are added
   * @param failures why a service did not renew what it renewed before; those of now are added
   * @return until when those hold that have not ended; nothing where there is none, or none tells
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

  /** Whether one of them was renewed before, and then no more until its end. */
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

  /** Ends them now, as far as whoever gave them answers; the current user must be their renewer. */
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
