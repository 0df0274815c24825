package io.tony.client.application;

import static org.junit.Assert.assertEquals;

import io.tony.client.follow.ReportedYarn;
import io.tony.container.Staging;
import io.tony.process.ScarceSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Nothing is claimed that YARN has not said. */
public class RemainingContainersTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ReportedYarn yarn = new ReportedYarn();

  private String told(YarnApplicationState state, Duration patience) throws Exception {
    yarn.show(state, 1, "N/A", -1);
    return new RemainingContainers(yarn, application(), patience).describe();
  }

  private RunningApplication application() throws IOException {
    Configuration conf = new Configuration();
    Staging staging =
        new Staging(
            FileSystem.get(conf),
            temporary.getRoot().toURI() + "staging",
            ReportedYarn.APPLICATION.toString());
    return new RunningApplication(
        conf, yarn, ReportedYarn.APPLICATION, staging, Duration.ofSeconds(20));
  }

  @Test
  public void shouldSayThatYarnHoldsNoneAnyMore() throws Exception {
    yarn.showContainers(3, 1, 0);

    assertEquals(
        "containers left: 0, as YARN has it",
        told(YarnApplicationState.KILLED, Duration.ofSeconds(50)));
  }

  @Test
  public void shouldTellHowManyAreLeft() throws Exception {
    yarn.showContainers(3);

    assertEquals(
        "containers left: 3, as YARN has it; their nodes end the processes",
        told(YarnApplicationState.KILLED, Duration.ZERO));
  }

  @Test
  public void shouldNotConfirmTheEndOfWhatYarnShowsAsAlive() throws Exception {
    assertEquals(
        "YARN does not confirm the end of application_1_0001: it shows it as RUNNING",
        told(YarnApplicationState.RUNNING, Duration.ZERO));
  }

  @Test
  public void shouldNotKeepAKillThatIsDoneWaitingForYarn() throws Exception {
    CountDownLatch back = new CountDownLatch(1);
    yarn.isAwayUntil(back);
    try {
      assertEquals(
          "how many containers are left is not known: YARN does not answer",
          new RemainingContainers(yarn, application(), Duration.ofMillis(1)).describeWithinLimit());
    } finally {
      back.countDown();
    }
  }

  @Test
  public void shouldSayThatItDoesNotKnow() throws Exception {
    yarn.showContainers(-1);

    assertEquals(
        "how many containers are left is not known:"
            + " java.io.IOException: no route to the ResourceManager",
        told(YarnApplicationState.KILLED, Duration.ZERO));
  }

  @Test
  public void shouldSayThatItIsNotKnownWhereThereIsNoThreadToAsk() throws Exception {
    yarn.show(YarnApplicationState.KILLED, 1, "N/A", -1);
    RemainingContainers left = new RemainingContainers(yarn, application(), Duration.ZERO);
    String told = ScarceSystem.withoutTheNextThread(left::describeWithinLimit);

    String expected = "how many containers are left is not known: no thread can be had for ";
    assertEquals(told, expected, told.substring(0, expected.length()));
  }
}
