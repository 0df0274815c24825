package io.tony.client.submit;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.rpc.ServedJob;
import io.tony.client.application.RunningApplication;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.login.Login;
import io.tony.client.login.RenewedTokens;
import io.tony.client.output.JobLog;
import io.tony.container.Staging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A client whose tokens hold for a day at a time; at 18 hours each time, they are renewed. */
public class TokenRenewalTest {
  private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  @Rule public final Timeout limit = Timeout.seconds(60);
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final UserGroupInformation user = UserGroupInformation.createRemoteUser("alice");
  private List<String> services = List.of("hdfs");
  private final Configuration conf = new Configuration();
  private final ReportedYarn yarn = new ReportedYarn();
  private final List<Credentials> sets = new ArrayList<>();
  private TokenRenewal renewal;

  @Before
  public void begin() throws IOException {
    renewal = renewal(Login.byTicket());
  }

  private TokenRenewal renewal(Login login) throws IOException {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.showTimes(start.toEpochMilli(), 0, 0);
    return new TokenRenewal(
        conf,
        login,
        () -> {
          Credentials set = RenewedTokens.take(services);
          sets.add(set);
          return set;
        },
        new RunningApplication(conf, yarn, ReportedYarn.APPLICATION, staging(), Duration.ZERO),
        new JobLog(told),
        user);
  }

  private Staging staging() throws IOException {
    return new Staging(
        FileSystem.get(conf),
        folder.getRoot().toURI().toString(),
        ReportedYarn.APPLICATION.toString());
  }

  private List<String> told() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** How long after this moment tokens are to be renewed again. */
  private Duration next(Instant now, boolean answers) throws InterruptedException {
    RenewedTokens.at(now, answers);
    return Duration.between(now, renewal.runDue(now));
  }

  private long warnings() {
    return told.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("warning: no new tokens"))
        .count();
  }

  @Test
  public void shouldTryAgainSoonWhenATokenIsNotRenewed() throws Exception {
    assertEquals(Duration.ofHours(18), next(start, true));
    Instant due = start.plus(Duration.ofHours(18));

    assertEquals(Duration.ofMinutes(1), next(due, false));
    assertEquals(Duration.ofMinutes(1), next(due.plusSeconds(60), false));
    assertEquals("told once", 1, warnings());
    assertTrue(
        told.toString(StandardCharsets.UTF_8)
            .contains("hold until " + start.plus(Duration.ofDays(1))));
    assertEquals(Duration.ofHours(18), next(due.plusSeconds(120), true));
    assertEquals(1, sets.size());
  }

  @Test
  public void shouldTakeOthersWhenTokensHaveEndedUnrenewed() throws Exception {
    next(start, true);
    next(start.plus(Duration.ofHours(18)), false);

    assertEquals(Duration.ofHours(18), next(start.plus(Duration.ofHours(25)), true));
    assertEquals(2, sets.size());
  }

  /** In whatever order they are renewed. */
  @Test
  public void shouldRenewTheTokensOfOthersWhileOneFileSystemIsAway() throws Exception {
    services = List.of("hdfs-1", "hdfs-2", "hdfs-3");
    Instant begin = start;
    for (String one : services) {
      renewal = renewal(Login.byTicket());
      RenewedTokens.at(begin, Set.of());
      renewal.runDue(begin);
      Instant due = begin.plus(Duration.ofHours(18));
      RenewedTokens.at(due, Set.of(one));
      assertEquals(due.plusSeconds(60), renewal.runDue(due));
      for (String other : services) {
        assertEquals(other, !other.equals(one), due.equals(RenewedTokens.renewed(other)));
      }
      assertEquals(one + " is told of once", services.indexOf(one) + 1, warnings());
      assertTrue(told.toString(StandardCharsets.UTF_8).contains("no new tokens for " + one + ": "));
      Instant next = due.plusSeconds(60);
      RenewedTokens.at(next, Set.of());
      assertEquals(next.plus(Duration.ofHours(18)), renewal.runDue(next));
      begin = next;
    }
  }

  /** Programs may have read them: what has ended is in another set, and the rest lives on. */
  @Test
  public void shouldRenewTheRestOfASetOfWhichOneHasEnded() throws Exception {
    services = List.of("hdfs-1", "hdfs-2");
    next(start, true);
    Instant due = start.plus(Duration.ofHours(18));
    RenewedTokens.at(due, Set.of("hdfs-1"));
    renewal.runDue(due);
    Instant over = start.plus(Duration.ofHours(24));
    services = List.of("hdfs-2");
    RenewedTokens.at(over, Set.of("hdfs-1"));

    assertEquals(over.plus(Duration.ofHours(18)), renewal.runDue(over));

    assertEquals(2, sets.size());
    assertEquals(1, warnings());
    Instant later = over.plus(Duration.ofHours(18));
    RenewedTokens.at(later, Set.of("hdfs-1"));
    assertEquals(later.plus(Duration.ofHours(18)), renewal.runDue(later));
    assertEquals(2, sets.size());
    assertEquals(2, RenewedTokens.renewals("hdfs-2", later));
  }

  /** Such as a service of which only its own programs know how to renew. */
  @Test
  public void shouldNotWarnOfTokensThatNeverCouldBeRenewed() throws Exception {
    assertEquals(Duration.ofHours(18), next(start, false).truncatedTo(ChronoUnit.HOURS));
    assertEquals(0, warnings());
  }

  /** With such a token, a later job of the same process would get none that YARN can renew. */
  @Test
  public void shouldGiveItsTokensToNoOtherJobOfAJavaProgram() throws Exception {
    renewal = renewal(Login.ofProcess());
    next(start, true);

    assertEquals(1, sets.size());
    assertEquals(0, user.getTokens().size());
  }

  @Test
  public void shouldActWithItsTokensWhereATicketMayEnd() throws Exception {
    next(start, true);

    assertEquals(1, user.getTokens().size());
  }

  /** They can be renewed for seven days. */
  @Test
  public void shouldTakeOthersBeforeTheFirstCanBeRenewedNoMore() throws Exception {
    assertEquals(Duration.ofHours(18), next(start, true));
    Instant now = start.plus(Duration.ofHours(18)).plusSeconds(60);
    for (int renewal = 0; renewal < 5; renewal++) {
      assertEquals(Duration.ofHours(18), next(now, true));
      now = now.plus(Duration.ofHours(18));
    }

    Instant replaced = start.plus(Duration.ofHours(126)); // three quarters of seven days
    assertEquals(Duration.between(now, replaced), next(now, true));
    assertEquals(1, sets.size());
    next(replaced, true);
    assertEquals(2, sets.size());
  }

  /** At three quarters of their seven days; a set that was taken by then. */
  @Test
  public void shouldGiveTheJobTokensWhenItsFirstOnesAreAboutToEnd() throws Exception {
    try (ServedJob served = new ServedJob(job().spec(), InstantSource.system(), folder.getRoot())) {
      Credentials credentials = new Credentials();
      served.key.putInto(credentials);
      staging().create();
      staging().writeCredentials(credentials);
      next(start, true);
      Instant due = start.plus(Duration.ofHours(126));
      next(due.minusSeconds(1), true);
      assertEquals("it has its own", List.of(), told());

      next(due, true);
      assertEquals("it has no ApplicationMaster now", List.of(), told());
      yarn.show(YarnApplicationState.RUNNING, 1, "127.0.0.1", served.server.address().getPort());
      yarn.showTimes(start.toEpochMilli(), 0, 0);
      assertEquals(0, served.own.getTokens().size());
      next(due.plusSeconds(10), true);
      next(due.plusSeconds(20), true);

      String until = due.minusSeconds(1).plus(Duration.ofDays(7)).toString();
      assertEquals(
          "once, each",
          List.of("the job was given new tokens, which can be renewed until " + until),
          told());
      assertEquals(
          List.copyOf(sets.get(sets.size() - 1).getAllTokens()),
          List.copyOf(served.own.getTokens()));
    }
  }
}
