package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.ApplicationClientProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationReportResponse;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationResponse;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** How often a ResourceManager is asked whether it has accepted an application. */
public class SubmissionClientTest {
  private static final ApplicationId ID = ApplicationId.newInstance(1_700_000_000_000L, 1);

  private final List<String> calls = new ArrayList<>();
  private final WaitingClient client = new WaitingClient();
  private Duration now = Duration.ZERO;
  private Duration accepted = Duration.ZERO;
  private Runnable meanwhile = () -> {}; // during the first pause

  /** Does not sleep: the time passes all the same. */
  private final class WaitingClient extends SubmissionClient {
    @Override
    protected void serviceStart() {
      rmClient =
          (ApplicationClientProtocol)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {ApplicationClientProtocol.class},
                  (proxy, method, arguments) -> answer(method.getName()));
    }

    @Override
    protected void serviceStop() {}

    @Override
    void pause(Duration time) throws InterruptedException {
      assertEquals("Hadoop's own pause comes on top", 0, submitPollIntervalMillis);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      now = now.plus(time);
      Runnable other = meanwhile;
      meanwhile = () -> {};
      other.run();
    }
  }

  private Object answer(String call) {
    calls.add(call);
    return switch (call) {
      case "submitApplication" -> Records.newRecord(SubmitApplicationResponse.class);
      case "getApplicationReport" -> {
        ApplicationReport report = Records.newRecord(ApplicationReport.class);
        report.setYarnApplicationState(
            now.compareTo(accepted) < 0
                ? YarnApplicationState.SUBMITTED
                : YarnApplicationState.ACCEPTED);
        yield GetApplicationReportResponse.newInstance(report);
      }
      default -> throw new AssertionError(call);
    };
  }

  @Before
  public void start() {
    client.init(new Configuration());
    client.start();
  }

  @After
  public void stop() {
    client.stop();
  }

  private void submit() throws Exception {
    ApplicationSubmissionContext application =
        Records.newRecord(ApplicationSubmissionContext.class);
    application.setApplicationId(ID);
    client.submitApplication(application);
  }

  /** How many looks it takes, the submission left out. */
  private int looks(Duration until) throws Exception {
    now = Duration.ZERO;
    accepted = until;
    calls.clear();
    submit();
    return calls.size() - 1;
  }

  @Test
  public void shouldEndAKillSoonAndNotWaitForNodesThatAreGone() {
    Configuration conf = new Configuration(false);
    SubmissionClient.prepare(conf);
    assertEquals(20, conf.getInt("yarn.client.application-client-protocol.poll-interval-ms", 200));
    assertEquals(
        60_000, conf.getInt("yarn.client.application-client-protocol.poll-timeout-ms", -1));
    String close = "dfs.client.block.write.locateFollowingBlock.";
    assertEquals(400 >> 6, conf.getInt(close + "initial.delay.ms", 400));
    assertEquals(5 + 6, conf.getInt(close + "retries", 5));
  }

  @Test
  public void shouldHearOfAQuickAcceptanceAtOnce() throws Exception {
    assertEquals(1, looks(Duration.ofMillis(10)));
    assertEquals(List.of("submitApplication", "getApplicationReport"), calls);
    assertEquals(Duration.ofMillis(10), now);
  }

  @Test
  public void shouldAskABusyResourceManagerRarely() throws Exception {
    int ofSixSeconds = looks(Duration.ofSeconds(6));

    assertTrue(ofSixSeconds + " looks", ofSixSeconds < 60); // 600 of 10 ms
    assertTrue("heard after " + now, now.compareTo(Duration.ofMillis(6_600)) < 0);
    int ofAMinute = looks(Duration.ofSeconds(50));
    assertTrue(ofAMinute + " looks", ofAMinute < 110);
  }

  /** A program that has this client submits several jobs at a time. */
  @Test(timeout = 60_000)
  public void shouldWaitWhenAnotherThreadHasSubmittedMeanwhile() throws Exception {
    meanwhile =
        () -> {
          accepted = Duration.ZERO;
          CompletableFuture.runAsync(
                  () -> {
                    try {
                      submit();
                    } catch (Exception e) {
                      throw new CompletionException(e);
                    }
                  })
              .join();
          accepted = Duration.ofSeconds(6);
        };

    int all = looks(Duration.ofSeconds(6));

    assertTrue(all + " looks", all < 62);
  }

  @Test
  public void shouldNotWaitBeforeOtherLooks() throws Exception {
    looks(Duration.ofSeconds(6));
    Duration before = now;

    client.getApplicationReport(ID);

    assertEquals(before, now);
  }

  @Test
  public void shouldEndItsWaitWhenItIsInterrupted() {
    accepted = Duration.ofDays(1);
    Thread.currentThread().interrupt();

    assertThrows(InterruptedIOException.class, this::submit);

    assertFalse("its kill would be interrupted, too", Thread.interrupted());
  }
}
