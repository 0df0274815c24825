package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.loop.EventSink;
import io.tony.am.page.TrackingPage;
import io.tony.am.rpc.AmServer;
import io.tony.am.rpc.RpcPort;
import io.tony.am.rpc.StartMessages;
import io.tony.am.rpc.TokenUpdates;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.RegisteredScheduler;
import io.tony.am.usage.Adviser;
import io.tony.am.usage.Metrics;
import io.tony.am.usage.Stragglers;
import io.tony.am.usage.UsageJournal;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.container.Staging;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventLog;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.RoleSpec;
import io.tony.model.SampleJob;
import io.tony.model.TaskId;
import io.tony.process.ScarceKernel;
import io.tony.process.ScarceSystem;
import io.tony.protocol.JobKey;
import io.tony.runtime.StandaloneRuntime;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * The life of an ApplicationMaster's parts in which one thread cannot be had, each in its turn: it
 * serves without what nobody needs, or ends before it serves, and says why.
 */
public class MasterShortageTest {
  private static final String APPLICATION = "application_1_0001";
  private static final String HOST = "127.0.0.1";
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final JobSpec JOB = SampleJob.job().workers(1).spec();
  private static final String NONE = "no thread can be had for ";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(240);

  private final InstantSource clock = InstantSource.system();
  private final Configuration conf = new Configuration();

  /** A scheduler that has nothing. */
  private static final class Unasked implements RegisteredScheduler {
    @Override
    public String queue() {
      return "";
    }

    @Override
    public void requestEarly(Map<RoleSpec, Integer> wanted) {}

    @Override
    public Containers containers(EventSink sink) {
      throw new AssertionError("there are none");
    }
  }

  @Test
  public void shouldServeOrEndWhicheverThreadCannotBeHad() throws Exception {
    AwakeClock.get(); // has its thread by now
    List<String> outcomes = new ArrayList<>();
    int first = 1;
    ScarceKernel kernel;
    do {
      kernel = ScarceKernel.withoutThreads(first, 1);
      try {
        outcomes.add(ScarceSystem.under(kernel, this::live));
      } catch (IOException e) {
        assertTrue(e.toString(), e.getMessage().startsWith(NONE));
        outcomes.add(e.getMessage().substring(NONE.length()).replaceFirst(":.*", ""));
      }
      first++;
    } while (kernel.threads() >= first - 1);

    assertEquals(
        List.of(
            "served: page", // nothing was done ahead
            "rpc-timeouts",
            "start-writer",
            "event-log",
            "event-log-notifier",
            "served: N/A", // there is no thread to make the page
            "served: N/A", // nor one to serve it
            "metrics",
            "publish-address",
            "served: page"),
        outcomes);
  }

  /** Where YARN's link leads when the log and the address are written. */
  @SuppressWarnings("try") // the page serves by itself
  private String live() throws Exception {
    FileSystem fs = FileSystem.getLocal(conf).getRawFileSystem();
    Staging staging = new Staging(fs, temporary.newFolder().toString(), APPLICATION);
    staging.create();
    RpcPort port = new RpcPort(conf, HOST, PortRange.ANY, 1, JobKey.random(APPLICATION));
    EarlyRegistration arrival = new EarlyRegistration((host, at) -> new Unasked(), port, JOB, 1);
    arrival.start();
    RpcPort.BoundPort bound = arrival.await().port();
    Metrics metrics = new Metrics(JOB, clock);
    CountDownLatch lead = new CountDownLatch(1);
    AtomicReference<String> link = new AtomicReference<>();
    CountDownLatch published = new CountDownLatch(1);
    CountDownLatch recorded = new CountDownLatch(1);
    try (EventLog log = log(fs);
        AmServer server = server(bound, log, metrics);
        TrackingPage page = page(server, link, lead)) {
      lead.await(); // the page's thread begins beside the others: they are counted after it
      UsageJournal journal =
          new UsageJournal(
                  log,
                  metrics,
                  Adviser.of(JOB, TonyConfig.builder().build(), 1),
                  new Stragglers(JOB, INTERVAL),
                  INTERVAL,
                  clock)
              .start();
      new PublishedAddress(staging, 1, new Endpoint(HOST, 1), published::countDown).publish();
      journal.record(
          List.of(
              new TaskFact.Progressed(new TaskId("worker", 0), "1/2").toEvent(clock.instant(), 0)));
      journal.runWhenDurable(recorded::countDown);
      recorded.await();
      published.await();
    }
    return "served: " + link.get().replaceFirst("http.*", "page");
  }

  private EventLog log(FileSystem fs) throws IOException {
    return EventLog.create(
        fs,
        EventLog.folder(new Path(temporary.newFolder().toURI()), APPLICATION),
        1,
        clock,
        () -> {});
  }

  private AmServer server(RpcPort.BoundPort port, EventLog log, Metrics metrics)
      throws IOException {
    return new AmServer(
        port,
        new AmServer.ServerConfig(
            JOB.limits(),
            new StartMessages(
                JOB,
                new StandaloneRuntime(),
                gang -> gang,
                APPLICATION,
                "hdfs:///c",
                false,
                0,
                StartCheckpoints.NONE),
            new TokenUpdates(UserGroupInformation.getCurrentUser()),
            true),
        log,
        event -> {},
        metrics,
        clock,
        AwakeClock.get());
  }

  private TrackingPage page(AmServer server, AtomicReference<String> link, CountDownLatch lead) {
    return new TrackingPage(
        conf,
        TonyConfig.builder().build(),
        HOST,
        "job",
        APPLICATION,
        server.events(),
        Optional.of("key"),
        url -> {
          link.set(url);
          lead.countDown();
        });
  }
}
