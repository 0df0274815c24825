package io.tony.client.submit;

import io.tony.client.follow.Refusal;
import io.tony.client.follow.RunningApplication;
import io.tony.client.login.JobTokens;
import io.tony.client.login.Login;
import io.tony.client.login.TokenLife;
import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import io.tony.protocol.DelegatedTokens;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a client that follows a job, and the job itself, in tokens that hold. The client takes its
 * own at once, so that it can go on when its ticket ends. YARN renews the job's for as long as they
 * can be renewed, seven days where HDFS has its defaults; from then on the job gets new ones of the
 * client's each time.
 */
final class TokenRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRenewal.class);

  /** Of a life of tokens, when others take their place. */
  private static final double DUE = 0.75;

  private static final Duration RETRY = Duration.ofSeconds(10);
  private static final Duration LOOK_AT_TICKET = Duration.ofSeconds(15);

  private record Newer(Credentials tokens, Optional<TokenLife> life) {}

  private final Configuration conf;
  private final Login login;
  private final JobTokens tokens;
  private final RunningApplication application;
  private final PrintStream out;
  private final UserGroupInformation own;
  private final Thread thread; // null where there is nothing to do
  private Instant holdUntil; // the client's tokens; null before the first
  private boolean ticketEnded;
  private boolean failed;

  private TokenRenewal(
      Configuration conf,
      Login login,
      JobTokens tokens,
      RunningApplication application,
      PrintStream out,
      UserGroupInformation own) {
    this.conf = conf;
    this.login = login;
    this.tokens = tokens;
    this.application = application;
    this.out = out;
    this.own = own;
    this.thread = own == null ? null : new Thread(this::run, "tokens");
  }

  /** Begins where there is something to renew; says until when it is not where it cannot be. */
  static TokenRenewal begin(
      Configuration conf,
      Login login,
      TonyConfig config,
      RunningApplication application,
      PrintStream out) {
    UserGroupInformation own = null;
    JobTokens tokens = null;
    try {
      Optional<JobSpec> job = JobSpecReader.read(config, new Problems());
      if (UserGroupInformation.isSecurityEnabled() && job.isPresent()) {
        if (login.canAskForTokens()) {
          own = UserGroupInformation.getCurrentUser();
          tokens = new JobTokens(conf, config, job.get());
        } else {
          tellTheEnd(out);
        }
      }
    } catch (IOException e) {
      LOG.warn("Tokens are not renewed: {}", e.toString());
    }
    TokenRenewal renewal = new TokenRenewal(conf, login, tokens, application, out, own);
    if (renewal.thread != null) {
      renewal.thread.setDaemon(true);
      renewal.thread.start();
    }
    return renewal;
  }

  private static void tellTheEnd(PrintStream out) throws IOException {
    Credentials given = UserGroupInformation.getCurrentUser().getCredentials();
    Optional<TokenLife> life = TokenLife.of(given);
    if (life.isPresent()) {
      out.println(
          "the job's tokens hold until "
              + text(life.get().end())
              + " at the longest: this client has no ticket or keytab to ask for others, so that a"
              + " training that takes longer loses HDFS then");
      out.flush();
    }
  }

  private void run() {
    try {
      Instant due = Instant.EPOCH;
      while (true) {
        Instant now = Instant.now();
        if (now.isBefore(due)) {
          lookAtTicket();
          Duration left = Duration.between(now, due);
          Thread.sleep(Math.min(left.toMillis() + 1, LOOK_AT_TICKET.toMillis()));
        } else {
          due = renew(now);
        }
      }
    } catch (InterruptedException e) {
      // The job has ended.
    }
  }

  /** When that is due again. */
  private Instant renew(Instant now) throws InterruptedException {
    try {
      return renewed(now);
    } catch (IOException | YarnException | RuntimeException e) {
      if (!failed) {
        failed = true;
        out.println(
            "warning: no new tokens for HDFS and YARN: "
                + Refusal.of(e).orElse(Secrets.maskText(e.toString()))
                + ". Those that there are hold until "
                + text(holdUntil));
        out.flush();
      }
      return now.plus(RETRY);
    }
  }

  private Instant renewed(Instant now) throws IOException, YarnException, InterruptedException {
    Newer newer = login.anew(this::newer);
    own.addCredentials(newer.tokens());
    failed = false;
    Optional<TokenLife> life = newer.life();
    if (life.isEmpty()) {
      return Instant.MAX;
    }
    holdUntil = life.get().end();
    Instant next = after(now, Duration.between(now, holdUntil));
    Instant begun = Instant.ofEpochMilli(application.report().getStartTime());
    Instant dueForJob = after(begun, life.get().longest());
    if (now.isBefore(dueForJob)) {
      return dueForJob.isBefore(next) ? dueForJob : next;
    }
    long version = life.get().issued().toEpochMilli(); // the same clock for all clients
    application.bring(DelegatedTokens.message(version, newer.tokens()));
    out.println("the job was given new tokens, which hold until " + text(holdUntil));
    out.flush();
    return next;
  }

  private Newer newer() throws IOException, YarnException, InterruptedException {
    Credentials taken = tokens.ofClient();
    return new Newer(taken, TokenLife.renew(taken, conf));
  }

  private static Instant after(Instant from, Duration life) {
    return from.plusMillis((long) (life.toMillis() * DUE));
  }

  private void lookAtTicket() throws InterruptedException {
    if (!login.byTicketOnly()) {
      return;
    }
    boolean ended = false;
    try {
      login.anew(() -> null);
    } catch (IOException e) {
      ended = true;
    }
    if (ended != ticketEnded) {
      ticketEnded = ended;
      out.println(
          ended
              ? "warning: the Kerberos ticket has ended; this client goes on with tokens until "
                  + text(holdUntil)
                  + ", and the job with its own. Log in again (kinit)"
              : "there is a Kerberos ticket again");
      out.flush();
    }
  }

  private static String text(Instant instant) {
    return instant == null ? "an unknown time" : instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** The job has ended. */
  void end() {
    if (thread != null) {
      thread.interrupt();
    }
  }
}
