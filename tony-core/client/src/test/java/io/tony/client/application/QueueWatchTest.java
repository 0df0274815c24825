package io.tony.client.application;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.ReportedYarn;
import io.tony.client.follow.SampleEvents;
import io.tony.client.output.JobLog;
import io.tony.container.Staging;
import io.tony.process.ScarceSystem;
import io.tony.process.Spawner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationResourceUsageReport;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Why an application waits. */
public class QueueWatchTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final ReportedYarn yarn = new ReportedYarn();
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private Instant now = SampleEvents.START;
  private ApplicationReport own;
  private RunningApplication application;
  private QueueWatch watch;

  @Before
  public void begin() throws IOException {
    Configuration conf = new Configuration();
    Staging staging =
        new Staging(
            FileSystem.get(conf),
            temporary.getRoot().toURI() + "staging",
            ReportedYarn.APPLICATION.toString());
    application =
        new RunningApplication(
            conf, yarn, ReportedYarn.APPLICATION, staging, Duration.ofSeconds(20));
    watch = new QueueWatch(application, new JobLog(told), () -> now, Runnable::run);
    own = report(1, YarnApplicationState.ACCEPTED, 100);
    own.setQueue("ml");
    own.setRpcPort(-1);
  }

  private static ApplicationReport report(int id, YarnApplicationState state, long submitted) {
    ApplicationReport report = Records.newRecord(ApplicationReport.class);
    report.setApplicationId(ApplicationId.newInstance(1, id));
    report.setYarnApplicationState(state);
    report.setStartTime(submitted);
    return report;
  }

  private static ApplicationReport running(int id, int mebibytes, int vcores) {
    ApplicationReport report = report(id, YarnApplicationState.RUNNING, 50);
    ApplicationResourceUsageReport use = Records.newRecord(ApplicationResourceUsageReport.class);
    use.setUsedResources(Resource.newInstance(mebibytes, vcores));
    report.setApplicationResourceUsageReport(use);
    return report;
  }

  private QueueInfo queue(float used, ApplicationReport... others) {
    List<ApplicationReport> all = new ArrayList<>(List.of(others));
    all.add(own);
    QueueInfo info = Records.newRecord(QueueInfo.class);
    info.setQueueName("ml");
    info.setCapacity(0.4f);
    info.setMaximumCapacity(0.6f);
    info.setCurrentCapacity(used);
    info.setApplications(all);
    return info;
  }

  private void waitFor(Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plusSeconds(5)) {
      watch.updateWaiting(own);
    }
  }

  private List<String> told() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  public void shouldTellWhatTheQueueHoldsAndWhoIsAhead() {
    own.setDiagnostics("[Mon] Application is not yet activated.\n  User AM Resource Limit: 1024 ");
    yarn.showQueue(
        queue(
            1.2f,
            running(2, 2048, 2),
            running(3, 1024, 1),
            report(4, YarnApplicationState.ACCEPTED, 99),
            report(5, YarnApplicationState.ACCEPTED, 101),
            report(6, YarnApplicationState.FINISHED, 1)));

    waitFor(Duration.ofSeconds(30));

    assertEquals(
        List.of(
            "queue ml: 120 % of its capacity is used (40 % of its parent's, at most 60 %);"
                + " 2 other applications run in it with 3072 MiB, 3 vcores;"
                + " 1 other application waits before this one;"
                + " YARN says: [Mon] Application is not yet activated. User AM Resource Limit:"
                + " 1024"),
        told());
  }

  @Test
  public void shouldTellNothingOfWhatStartsSoon() {
    yarn.showQueue(queue(0.5f));

    waitFor(Duration.ofSeconds(3));
    watch.endWaiting();
    waitFor(Duration.ofSeconds(3));

    assertEquals(List.of(), told());
    assertEquals(0, yarn.queueLooks());
  }

  /** YARN takes its time to answer. */
  @Test
  public void shouldAskOneThingAtATimeHoweverOftenItWaits() {
    Deque<Runnable> asked = new ArrayDeque<>();
    watch = new QueueWatch(application, new JobLog(told), () -> now, asked::add);
    yarn.showQueue(queue(0.5f));
    for (int i = 0; i < 5; i++) {
      waitFor(Duration.ofSeconds(30));
      watch.endWaiting();
    }
    assertEquals(1, asked.size());

    asked.remove().run();
    waitFor(Duration.ofSeconds(10));
    assertEquals("it is of another wait", List.of(), told());

    waitFor(Duration.ofSeconds(30));
    asked.remove().run();
    waitFor(Duration.ofSeconds(10));
    assertEquals(1, told().size());
  }

  @Test
  public void shouldTellAgainOnlyWhenMuchHasChanged() {
    yarn.showQueue(queue(0.9f, running(2, 1024, 1)));
    waitFor(Duration.ofMinutes(3));
    yarn.showQueue(queue(0.95f, running(2, 2048, 2)));
    waitFor(Duration.ofMinutes(3));
    assertEquals(1, told().size());

    yarn.showQueue(queue(0.5f, running(2, 2048, 2)));
    waitFor(Duration.ofMinutes(3));

    assertEquals(2, told().size());
    assertTrue(told().get(1), told().get(1).startsWith("queue ml: 50 % of its capacity is used"));
  }

  @Test
  public void shouldLookOnceAMinuteAtMostAndSeldomInALongWait() {
    waitFor(Duration.ofMinutes(10));
    int first = yarn.queueLooks();
    waitFor(Duration.ofHours(23));
    int all = yarn.queueLooks();

    assertTrue(first + " looks", first > 5 && first <= 10);
    assertTrue(all + " looks", all < 200);
    assertEquals("it may not look", List.of(), told());
  }

  @Test
  public void shouldTellHowManyItMayNotSee() {
    QueueInfo info = queue(Float.NaN);
    QueueStatistics all = Records.newRecord(QueueStatistics.class);
    all.setNumAppsRunning(3);
    all.setNumAppsPending(2);
    info.setQueueStatistics(all);
    yarn.showQueue(info);

    waitFor(Duration.ofSeconds(30));

    assertEquals(
        List.of(
            "queue ml: 0 other applications run in it; 0 other applications wait before this one;"
                + " 4 more cannot be seen by this user"),
        told());
  }

  @Test
  public void shouldAskLaterWhereThereIsNoThreadToAsk() throws Exception {
    CompletableFuture<String> asker = new CompletableFuture<>();
    Executor pool = Spawner.SYSTEM.newThreadPool("queue", 1);
    watch =
        new QueueWatch(
            application,
            new JobLog(told),
            () -> now,
            look ->
                pool.execute(
                    () -> {
                      look.run();
                      asker.complete(Thread.currentThread().getName());
                    }));
    yarn.showQueue(queue(0.5f));
    String name =
        ScarceSystem.withoutTheNextThread(
            () -> {
              while (yarn.queueLooks() == 0) {
                waitFor(Duration.ofSeconds(30));
                Thread.sleep(1); // for the asker
              }
              return asker.get();
            });
    assertEquals("queue", name);
    waitFor(Duration.ofSeconds(5));
    assertEquals(1, told().size());
  }
}
