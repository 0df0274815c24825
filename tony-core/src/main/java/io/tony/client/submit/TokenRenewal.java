package io.tony.client.submit;

import io.tony.client.follow.JobLog;
import io.tony.client.follow.Refusal;
import io.tony.client.follow.RunningApplication;
import io.tony.client.login.JobTokens;
import io.tony.client.login.Login;
import io.tony.client.login.TokenLife;
import io.tony.client.source.JobFolder;
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
 * Keeps a client that follows a job, and the job itself, in tokens that hold. YARN renews the job's
 * first ones for as long as they can be renewed, seven days where HDFS has its defaults. The client
 * takes a set of its own at once, renews it, and takes another one before it cannot be renewed any
 * more; from the time when the job's first ones are about to end, the job is given each. With a
 * ticket the client acts with its set, so that it can go on when the ticket ends.
 */
final class TokenRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRenewal.class);

  /** The part of its life after which a token is renewed, or another one is taken. */
  private static final double DUE = 0.75;

  /** Between two looks at what is due; a ticket is looked at as often. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private static final long LEAST_PAUSE_MS = 1_000;

  /** After something failed. */
  private static final Duration RETRY = Duration.ofMinutes(1);

  /** How long the end of a client waits for its tokens to be cancelled. */
  private static final Duration MAX_CANCEL = Duration.ofSeconds(10);

  /** Ends the renewal. */
  @FunctionalInterface
  interface Ending {
    /** {@code jobHasEnded}: this client and the job need their tokens no more, so they end, too. */
    void end(boolean jobHasEnded);
  }

  /** Gives a set of new tokens, which the current user is to renew. */
  @FunctionalInterface
  interface Source {
    Credentials take() throws IOException, YarnException;
  }

  /** One set of the client's. */
  private record TokenSet(Credentials tokens, TokenLife life) {
    Instant replaceAt() {
      return after(life.issued(), life.longest());
    }
  }

  private final Configuration conf;
  private final Login login;
  private final Source tokens;
  private final RunningApplication application;
  private final JobLog out;
  private final UserGroupInformation own;
  private volatile Thread thread; // null before it begins
  private volatile boolean ended;

  /** The newest last; earlier ones are renewed for programs that have read them. */
  private final List<TokenSet> sets = new ArrayList<>();

  /** When tokens of these sets, also of earlier ones, end that were renewed at least once. */
  private final Map<Token<?>, Instant> ends = new HashMap<>();

  /** Services that did not renew their tokens the last time, and why. */
  private final Map<String, IOException> failures = new TreeMap<>();

  /** What the user was told of those; empty for something else that failed. */
  private final Set<String> toldOf = new HashSet<>();

  private Instant renewAt = Instant.EPOCH;
  private boolean brought; // the job has the newest set
  private boolean everBrought; // programs may have one of the sets
  private Instant bringAt = Instant.EPOCH;
  private boolean ticketEnded;

  TokenRenewal(
      Configuration conf,
      Login login,
      Source tokens,
      RunningApplication application,
      JobLog out,
      UserGroupInformation own) {
    this.conf = conf;
    this.login = login;
    this.tokens = tokens;
    this.application = application;
    this.out = out;
    this.own = own;
  }

  /**
   * Begins to renew. Where this client cannot ask for new tokens, it says how long those hold that
   * it has.
   *
   * @return ends it
   */
  static Ending begin(
      Configuration conf,
      Login login,
      JobFolder folder,
      TonyConfig config,
      RunningApplication application,
      JobLog out) {
    try {
      if (UserGroupInformation.isSecurityEnabled()) {
        Optional<JobSpec> job = JobSpecReader.read(config, new Problems());
        if (job.isPresent() && login.canAskForTokens()) {
          JobTokens tokens = new JobTokens(conf, config, job.get(), folder);
          UserGroupInformation own = UserGroupInformation.getCurrentUser();
          TokenRenewal renewal =
              new TokenRenewal(conf, login, tokens::ofClient, application, out, own);
          renewal.thread = Spawner.SYSTEM.thread("tokens", renewal::run);
          return renewal::end;
        }
        tellTheEnd(out);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Tokens are not renewed: {}", e.toString());
    }
    return jobHasEnded -> {};
  }

  private static void tellTheEnd(JobLog out) throws IOException {
    Optional<TokenLife> life = TokenLife.of(UserGroupInformation.getCurrentUser().getCredentials());
    if (life.isPresent()) {
      out.println(
          "the tokens that this client was given hold until "
              + text(life.get().last())
              + " at the longest: it has no ticket or keytab to ask for others, so that a training"
              + " that takes longer loses HDFS then");
      out.flush();
    }
  }

  private void run() {
    try {
      while (!ended) {
        Instant now = Instant.now();
        long untilDue = Duration.between(now, look(now)).toMillis();
        Thread.sleep(Math.max(LEAST_PAUSE_MS, Math.min(untilDue, LOOK.toMillis())));
      }
    } catch (InterruptedException e) {
      // The job has ended.
    }
  }

  /** Does what is due; returns when tokens are to be renewed next: soon, where that failed. */
  Instant look(Instant now) throws InterruptedException {
    try {
      if (!now.isBefore(renewAt)) {
        renewAt = renewed(now);
        toldOf.clear();
      }
      bring(now);
      lookAtTicket();
    } catch (IOException | YarnException | RuntimeException | LinkageError e) {
      tell(e);
      renewAt = now.plus(RETRY);
    }
    return renewAt;
  }

  /** What fails again and again is told once, of each service. */
  private void tell(Throwable trouble) {
    String of = String.join(", ", failures.keySet());
    if (ended || toldOf.contains(of)) {
      return;
    }
    toldOf.add(of);
    out.println(
        "warning: no new tokens for "
            + (of.isEmpty() ? "HDFS and YARN" : of)
            + ": "
            + Refusal.sentence(trouble)
            + (sets.isEmpty()
                ? ""
                : ". Those that there are hold until " + text(newest().life().end())));
    out.flush();
  }

  private TokenSet newest() {
    return sets.get(sets.size() - 1);
  }

  /**
   * Renews all sets, and takes another one when it is time; returns when it is time again.
   *
   * @throws IOException also where one token was not renewed; what could be done is done by then
   */
  private Instant renewed(Instant now) throws IOException, YarnException, InterruptedException {
    failures.clear();
    boolean another =
        sets.isEmpty()
            || !now.isBefore(newest().replaceAt())
            || TokenLife.isAnyOver(newest().tokens(), ends, now);
    List<TokenSet> renewed = login.anew(() -> renewedSets(another, now));
    sets.clear();
    sets.addAll(renewed);
    if (another && !sets.isEmpty()) {
      brought = false;
      if (login.byTicketOnly()) {
        own.addCredentials(newest().tokens());
      }
    }
    if (!failures.isEmpty()) {
      throw failures.values().iterator().next();
    }
    Instant next = now.plus(Duration.ofDays(1));
    for (TokenSet set : sets) {
      Instant due = after(now, Duration.between(now, set.life().end()));
      next = due.isBefore(next) ? due : next;
    }
    if (!sets.isEmpty() && newest().replaceAt().isBefore(next)) {
      next = newest().replaceAt();
    }
    return next;
  }

  /** As the user who has logged in anew. */
  private List<TokenSet> renewedSets(boolean another, Instant now)
      throws IOException, YarnException, InterruptedException {
    List<TokenSet> renewed = new ArrayList<>();
    for (TokenSet set : sets) {
      renew(set.tokens(), now).ifPresent(renewed::add);
    }
    if (another) {
      renew(tokens.take(), now).ifPresent(renewed::add);
    }
    return renewed;
  }

  private Optional<TokenSet> renew(Credentials credentials, Instant now)
      throws InterruptedException {
    return TokenLife.renew(credentials, ends, failures, now, conf)
        .map(life -> new TokenSet(credentials, life));
  }

  /** Gives the job the newest set, from when its first one is about to end. */
  private void bring(Instant now) throws IOException, YarnException {
    if (sets.isEmpty() || brought || now.isBefore(bringAt)) {
      return;
    }
    TokenLife life = newest().life();
    bringAt = after(Instant.ofEpochMilli(application.report().getStartTime()), life.longest());
    if (now.isBefore(bringAt)) {
      return;
    }
    try {
      // The version is the time by the clock of who gave them, which is one for all clients.
      application.bring(DelegatedTokens.message(life.issued().toEpochMilli(), newest().tokens()));
      brought = true;
      everBrought = true;
      out.println("the job was given new tokens, which can be renewed until " + text(life.last()));
      out.flush();
    } catch (IOException e) {
      LOG.info("{} cannot be given new tokens yet: {}", application.id(), e.toString());
    }
  }

  private static Instant after(Instant from, Duration life) {
    return from.plusMillis((long) (life.toMillis() * DUE));
  }

  private void lookAtTicket() throws InterruptedException {
    if (!login.byTicketOnly()) {
      return;
    }
    String trouble = null;
    try {
      login.anew(() -> null);
    } catch (IOException e) {
      trouble = e.getMessage();
    }
    boolean ends = trouble != null;
    if (ends != ticketEnded && !ended) {
      ticketEnded = ends;
      out.println(
          ends
              ? "warning: the Kerberos ticket has ended ("
                  + trouble
                  + "); this client goes on with tokens until "
                  + (sets.isEmpty() ? "an unknown time" : text(newest().life().end()))
                  + ", and the job with its own. Log in again (kinit)"
              : "there is a Kerberos ticket again");
      out.flush();
    }
  }

  private static String text(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private void end(boolean jobHasEnded) {
    ended = true;
    thread.interrupt();
    if (!jobHasEnded) {
      return;
    }
    try {
      Spawner.SYSTEM.thread("cancel-tokens", this::cancel).join(MAX_CANCEL.toMillis());
    } catch (IOException e) {
      notCancelled(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void notCancelled(Exception why) {
    LOG.info("The tokens of this client are not cancelled: {}", why.toString());
  }

  /** Ends all sets: copies of them could be used, and renewed, long after the job. */
  private void cancel() {
    try {
      thread.join();
      if (everBrought) {
        application.awaitEnd(); // until then its ApplicationMaster needs the newest
      }
      login.anew(
          () -> {
            for (TokenSet set : sets) {
              TokenLife.cancel(set.tokens(), conf);
            }
            return null;
          });
    } catch (IOException | YarnException | RuntimeException e) {
      notCancelled(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
