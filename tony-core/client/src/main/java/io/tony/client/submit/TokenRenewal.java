package io.tony.client.submit;

import io.tony.client.application.HadoopErrors;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.JobFolder;
import io.tony.client.login.JobTokens;
import io.tony.client.login.Login;
import io.tony.client.login.TokenLifetime;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import io.tony.process.Spawner;
import io.tony.protocol.DelegatedTokens;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the delegation tokens of the client, and of the job that it follows, valid. YARN renews the
 * tokens with which the job was submitted, but only up to their maximum lifetime (seven days by
 * HDFS's defaults). This client therefore obtains a set of its own tokens at the start, renews it,
 * and obtains a new set before its maximum lifetime ends. Shortly before the job's first tokens
 * expire, the client sends its newest set to the job, and from then on every new set. A client that
 * has only a Kerberos ticket also uses the sets itself, so that it can continue after the ticket's
 * expiry.
 */
final class TokenRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRenewal.class);

  /** Fraction of the lifetime of a token after which the token is renewed or replaced. */
  private static final double RENEWAL_FRACTION = 0.75;

  /**
   * Maximum interval between checks whether a renewal is due and whether the Kerberos ticket has
   * expired.
   */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

  private static final long MIN_PAUSE_MS = 1_000;

  /** Time from a failed renewal to the next try. */
  private static final Duration RETRY_DELAY = Duration.ofMinutes(1);

  /** Maximum time that a client waits for the cancellation of its tokens before it exits. */
  private static final Duration MAX_CANCEL_WAIT = Duration.ofSeconds(10);

  /** Stops the renewal of tokens. */
  @FunctionalInterface
  interface RenewalHandle {
    /**
     * Stops the renewal.
     *
     * @param jobHasEnded if true, the client's tokens are cancelled, because client and job no
     *     longer need them
     */
    void stop(boolean jobHasEnded);
  }

  /** Obtains a set of new tokens that the current user may renew. */
  @FunctionalInterface
  interface TokenSource {
    Credentials obtain() throws IOException, YarnException;
  }

  /** A set of tokens that the client has obtained. */
  private record TokenSet(Credentials tokens, TokenLifetime life) {
    Instant replacementTime() {
      return dueAt(life.issuedAt(), life.maxDuration());
    }
  }

  private final Configuration conf;
  private final Login login;
  private final TokenSource tokenSource;
  private final RunningApplication application;
  private final JobLog out;
  private final UserGroupInformation user;
  private volatile boolean ended;

  /**
   * The sets of tokens that the client has obtained, the newest last. Earlier sets are still
   * renewed, because the user's programs may have read tokens from them.
   */
  private final List<TokenSet> tokenSets = new ArrayList<>();

  /** When each token that was renewed at least once expires; includes tokens of earlier sets. */
  private final Map<Token<?>, Instant> expiryTimes = new HashMap<>();

  /** Failures of the last renewal, by the service of the token. */
  private final Map<String, IOException> failures = new TreeMap<>();

  /**
   * The services for which a failure was printed since the last successful renewal. Each element is
   * one printed failure: the services joined by commas; empty if the failure names no service.
   */
  private final Set<String> reportedServices = new HashSet<>();

  private Instant nextRenewal = Instant.EPOCH;

  /** Whether the newest set was sent to the job. */
  private boolean delivered;

  /** Whether any set was ever sent to the job. */
  private boolean everDelivered;

  private Instant deliverAt = Instant.EPOCH;
  private boolean ticketExpired;

  TokenRenewal(
      Configuration conf,
      Login login,
      TokenSource tokenSource,
      RunningApplication application,
      JobLog out,
      UserGroupInformation user) {
    this.conf = conf;
    this.login = login;
    this.tokenSource = tokenSource;
    this.application = application;
    this.out = out;
    this.user = user;
  }

  /**
   * Starts the renewal in a thread. If this client cannot obtain new tokens, starts no thread and
   * only prints how long its present tokens are valid.
   *
   * @return a handle that stops the renewal; it does nothing if no renewal was started
   */
  static RenewalHandle start(
      Configuration conf,
      Login login,
      JobFolder folder,
      TonyConfig config,
      RunningApplication application,
      JobLog out) {
    try {
      if (UserGroupInformation.isSecurityEnabled()) {
        Optional<JobSpec> job = JobSpecReader.read(config, new Problems());
        if (job.isPresent() && login.canObtainTokens()) {
          JobTokens tokens = new JobTokens(conf, config, job.get(), folder);
          UserGroupInformation user = UserGroupInformation.getCurrentUser();
          TokenRenewal renewal =
              new TokenRenewal(conf, login, tokens::obtainForClient, application, out, user);
          Thread thread = Spawner.SYSTEM.startThread("tokens", renewal::run);
          return jobHasEnded -> renewal.stop(thread, jobHasEnded);
        }
        printExpiry(out);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Tokens are not renewed: {}", e.toString());
    }
    return jobHasEnded -> {};
  }

  private static void printExpiry(JobLog out) throws IOException {
    Optional<TokenLifetime> life =
        TokenLifetime.of(UserGroupInformation.getCurrentUser().getCredentials());
    if (life.isPresent()) {
      out.println(
          "the tokens that this client was given hold until "
              + text(life.get().latestEnd())
              + " at the longest: it has no ticket or keytab to ask for others, so that a training"
              + " that takes longer loses HDFS then");
      out.flush();
    }
  }

  private void run() {
    try {
      while (!ended) {
        Instant now = Instant.now();
        long untilDue = Duration.between(now, runDue(now)).toMillis();
        Thread.sleep(Math.max(MIN_PAUSE_MS, Math.min(untilDue, CHECK_INTERVAL.toMillis())));
      }
    } catch (InterruptedException e) {
      // The renewal was stopped.
    }
  }

  /**
   * Renews tokens and sends the newest set to the job, each only if that is due at {@code now}, and
   * checks the Kerberos ticket. Failures are printed. Returns the time of the next renewal; after a
   * failure, that is {@link #RETRY_DELAY} after {@code now}.
   */
  Instant runDue(Instant now) throws InterruptedException {
    try {
      if (!now.isBefore(nextRenewal)) {
        nextRenewal = renewAll(now);
        reportedServices.clear();
      }
      deliver(now);
      checkTicket();
    } catch (IOException | YarnException | RuntimeException | LinkageError e) {
      reportFailure(e);
      nextRenewal = now.plus(RETRY_DELAY);
    }
    return nextRenewal;
  }

  /**
   * Prints a failure, unless a failure of the same services was printed since the last successful
   * renewal.
   */
  private void reportFailure(Throwable trouble) {
    String services = String.join(", ", failures.keySet());
    if (ended || reportedServices.contains(services)) {
      return;
    }
    reportedServices.add(services);
    out.println(
        "warning: no new tokens for "
            + (services.isEmpty() ? "HDFS and YARN" : services)
            + ": "
            + HadoopErrors.sentence(trouble)
            + (tokenSets.isEmpty()
                ? ""
                : ". Those that there are hold until " + text(newest().life().end())));
    out.flush();
  }

  private TokenSet newest() {
    return tokenSets.get(tokenSets.size() - 1);
  }

  /**
   * Renews all sets, and obtains a new set if the newest one is too old. Returns the time of the
   * next renewal.
   *
   * @throws IOException if a token could not be renewed; all other tokens were renewed before
   */
  private Instant renewAll(Instant now) throws IOException, YarnException, InterruptedException {
    failures.clear();
    boolean needsNewSet =
        tokenSets.isEmpty()
            || !now.isBefore(newest().replacementTime())
            || TokenLifetime.isAnyExpired(newest().tokens(), expiryTimes, now);
    List<TokenSet> renewed = login.runWithFreshLogin(() -> renewSets(needsNewSet, now));
    tokenSets.clear();
    tokenSets.addAll(renewed);
    if (needsNewSet && !tokenSets.isEmpty()) {
      delivered = false;
      if (login.isTicketOnly()) {
        user.addCredentials(newest().tokens());
      }
    }
    if (!failures.isEmpty()) {
      throw failures.values().iterator().next();
    }
    Instant next = now.plus(Duration.ofDays(1));
    for (TokenSet set : tokenSets) {
      Instant due = dueAt(now, Duration.between(now, set.life().end()));
      next = due.isBefore(next) ? due : next;
    }
    if (!tokenSets.isEmpty() && newest().replacementTime().isBefore(next)) {
      next = newest().replacementTime();
    }
    return next;
  }

  /**
   * Renews all sets, and obtains a new one if needed. Must be called as the freshly logged-in user.
   * Returns the sets, without those that could not be renewed.
   */
  private List<TokenSet> renewSets(boolean needsNewSet, Instant now)
      throws IOException, YarnException, InterruptedException {
    List<TokenSet> renewed = new ArrayList<>();
    for (TokenSet set : tokenSets) {
      renew(set.tokens(), now).ifPresent(renewed::add);
    }
    if (needsNewSet) {
      renew(tokenSource.obtain(), now).ifPresent(renewed::add);
    }
    return renewed;
  }

  private Optional<TokenSet> renew(Credentials credentials, Instant now)
      throws InterruptedException {
    return TokenLifetime.renew(credentials, expiryTimes, failures, now, conf)
        .map(life -> new TokenSet(credentials, life));
  }

  /**
   * Sends the newest set of tokens to the job, unless the job already has it, or the job's first
   * tokens are still valid for long. If the ApplicationMaster cannot be reached, the failure is
   * only logged, and the next call tries again.
   */
  private void deliver(Instant now) throws IOException, YarnException {
    if (tokenSets.isEmpty() || delivered || now.isBefore(deliverAt)) {
      return;
    }
    TokenLifetime life = newest().life();
    deliverAt =
        dueAt(Instant.ofEpochMilli(application.report().getStartTime()), life.maxDuration());
    if (now.isBefore(deliverAt)) {
      return;
    }
    try {
      // The version is the issue time by the clock of the tokens' issuer, so that the versions
      // of different clients are comparable.
      application.sendTokens(
          DelegatedTokens.message(life.issuedAt().toEpochMilli(), newest().tokens()));
      delivered = true;
      everDelivered = true;
      out.println(
          "the job was given new tokens, which can be renewed until " + text(life.latestEnd()));
      out.flush();
    } catch (IOException e) {
      LOG.info("{} cannot be given new tokens yet: {}", application.id(), e.toString());
    }
  }

  private static Instant dueAt(Instant from, Duration life) {
    return from.plusMillis((long) (life.toMillis() * RENEWAL_FRACTION));
  }

  private void checkTicket() throws InterruptedException {
    if (!login.isTicketOnly()) {
      return;
    }
    String trouble = null;
    try {
      login.runWithFreshLogin(() -> null);
    } catch (IOException e) {
      trouble = e.getMessage();
    }
    boolean expired = trouble != null;
    if (expired != ticketExpired && !ended) {
      ticketExpired = expired;
      out.println(
          expired
              ? "warning: the Kerberos ticket has ended ("
                  + trouble
                  + "); this client goes on with tokens until "
                  + (tokenSets.isEmpty() ? "an unknown time" : text(newest().life().end()))
                  + ", and the job with its own. Log in again (kinit)"
              : "there is a Kerberos ticket again");
      out.flush();
    }
  }

  private static String text(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private void stop(Thread thread, boolean jobHasEnded) {
    ended = true;
    thread.interrupt();
    if (!jobHasEnded) {
      return;
    }
    try {
      Spawner.SYSTEM
          .startThread("cancel-tokens", () -> cancel(thread))
          .join(MAX_CANCEL_WAIT.toMillis());
    } catch (IOException e) {
      logNotCancelled(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void logNotCancelled(Exception why) {
    LOG.info("The tokens of this client are not cancelled: {}", why.toString());
  }

  /**
   * Cancels all sets after {@code thread}, which renews them, has ended, so that copies of the
   * tokens cannot be used, or renewed, after the end of the job.
   */
  private void cancel(Thread thread) {
    try {
      thread.join();
      if (everDelivered) {
        // The ApplicationMaster uses the newest set until the application has ended.
        application.awaitEnd();
      }
      login.runWithFreshLogin(
          () -> {
            for (TokenSet set : tokenSets) {
              TokenLifetime.cancel(set.tokens(), conf);
            }
            return null;
          });
    } catch (IOException | YarnException | RuntimeException e) {
      logNotCancelled(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
