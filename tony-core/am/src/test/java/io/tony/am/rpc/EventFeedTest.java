package io.tony.am.rpc;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import io.tony.clock.AwakeClock;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.WatchRequest;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What clients are told of a long job, and of one whose log is not complete. */
public class EventFeedTest {
  /** A line every two seconds. */
  private static final int LINES_OF_A_MONTH =
      (int) Duration.ofDays(30).dividedBy(Duration.ofSeconds(2));

  private static final int BATCH = 10_000;
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 0, "container_7");
  private static final JobSpec JOB = job().workers(1).spec();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(240);

  private final ServedJob.SetClock clock = new ServedJob.SetClock();

  private static JobEvent event(int number) {
    return new JobEvent(
        Instant.ofEpochSecond(2L * number),
        JobEvent.Type.TASK_PROGRESS,
        0,
        new TaskId("worker", 0),
        Map.of("text", "step " + number));
  }

  private static List<JobEvent> events(int from, int to) {
    return IntStream.range(from, to).mapToObj(EventFeedTest::event).toList();
  }

  private static WatchRequest seen(long events, int toldBy) {
    return WatchRequest.newBuilder()
        .setSeen(events)
        .setMasterAttempt(toldBy)
        .setPatienceMs(50)
        .build();
  }

  /** Asserts that a client which has seen so many gets all the others in their order. */
  private static void watch(ClientProtocol client, int from) throws Exception {
    int next = from;
    boolean finished = false;
    while (!finished) {
      WatchResponse news = client.watch(null, seen(next, 0));
      for (String line : news.getEventsList()) {
        assertEquals(EventJson.write(event(next)), line);
        next++;
      }
      finished = news.getFinished();
    }
    assertEquals(LINES_OF_A_MONTH, next);
  }

  @Test
  public void shouldTellTheWholeStoryOfAMonthAndRememberLittleOfIt() throws Exception {
    RecentLines recent = new RecentLines();
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    int half = LINES_OF_A_MONTH / 2;
    try (ServedJob first = new ServedJob(JOB, clock, folder.getRoot())) {
      record(first, 0, half);
    }
    try (ServedJob second = new ServedJob(JOB, clock, folder.getRoot(), 2);
        EventFeed feed = new EventFeed(scheduler, second.log, event -> {}, clock, clock, recent)) {
      for (int from = half; from < LINES_OF_A_MONTH; from += BATCH) {
        int to = Math.min(from + BATCH, LINES_OF_A_MONTH);
        record(second, from, to);
        // As the server's own is told it, whose lines are its own.
        feed.append(from, events(from, to).stream().map(EventJson::write).toList());
        assertTrue(held(recent) + " lines", held(recent) <= 1_000);
        assertTrue(recent.characters() <= 1024 * 1024);
      }
      assertEquals(LINES_OF_A_MONTH, recent.end());
      second.log.close();
      second.server.finish();

      watch(second.client(), 0);
      watch(second.client(), half - 10);
      watch(second.client(), LINES_OF_A_MONTH);
    } finally {
      scheduler.shutdownNow();
    }
  }

  private static long held(RecentLines recent) {
    return recent.end() - recent.first();
  }

  /** No more at a time than a job of this time would have in its queue. */
  private static void record(ServedJob job, int from, int to) throws InterruptedException {
    for (int number = from; number < to; number++) {
      job.log.record(List.of(event(number)));
      if (number % BATCH == 0) {
        job.awaitLog();
      }
    }
    job.awaitLog();
  }

  /** Its clock counts only the time in which the process runs. */
  @Test
  public void shouldStopAJobThatNobodyWatchesAndNotForAStandstillOfItsOwn() throws Exception {
    AwakeClock awake =
        new AwakeClock(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos());
    BlockingQueue<Event> asked = new LinkedBlockingQueue<>();
    try (ServedJob served = new ServedJob(JOB, clock, folder.getRoot());
        EventFeed feed =
            new EventFeed(
                new ScheduledThreadPoolExecutor(0),
                served.log,
                asked::add,
                clock,
                awake,
                new RecentLines())) {
      feed.stopWhenUnwatched(Duration.ofSeconds(10));
      clock.pass(Duration.ofHours(1));
      feed.checkWatched();
      awake.tick();
      feed.checkWatched();
      assertNull("it stood still", asked.poll());

      for (int second = 0; second < 10 + HeldCall.MAX_HOLD_MS / 1000; second++) {
        assertNull(asked.poll());
        clock.pass(Duration.ofSeconds(1));
        awake.tick();
        feed.checkWatched();
      }
      assertEquals(Event.StopRequested.class, asked.remove().getClass());
      clock.pass(Duration.ofSeconds(1));
      feed.checkWatched();
      assertNull("once", asked.poll());
    }
  }

  @Test
  public void shouldForgetNothingThatCannotBeReadBack() {
    RecentLines recent = new RecentLines();
    List<String> lines = IntStream.range(0, 5_000).mapToObj(Integer::toString).toList();

    recent.add(7, lines);
    recent.trim(7 + 100);
    assertEquals(107, recent.first());
    assertEquals("100", recent.from(107).get(0));

    recent.trim(7 + 5_000);
    assertEquals(1_000, held(recent));
    recent.add(recent.end(), List.of("x".repeat(2 * 1024 * 1024)));
    recent.trim(recent.end());
    assertTrue(held(recent) + " lines", held(recent) <= 1);
  }

  @Test
  public void shouldEndAJobOfWhichAClientHasSeenMoreThanTheLogHas() throws Exception {
    try (ServedJob first = new ServedJob(JOB, clock, folder.getRoot())) {
      record(first, 0, 3);
      assertEquals(1, first.client().watch(null, seen(0, 0)).getMasterAttempt());
    }
    try (ServedJob second = new ServedJob(JOB, clock, folder.getRoot(), 2)) {
      record(second, 3, 5);
      ClientProtocol client = second.client();
      client.watch(null, seen(3, 1));
      client.watch(null, seen(5, 2));
      assertTrue(second.noEvent());

      // The fourth was told by the first, which could not write it down; what is the fourth here
      // is another.
      client.watch(null, seen(4, 1));

      assertEquals(
          new Event.LogIncomplete(
              clock.instant(), "a client has seen 4 events of this job, the log has 3"),
          second.event());
      client.watch(null, seen(4, 1));
      client.watch(null, seen(100, 0));
      assertTrue("once", second.noEvent());
    }
  }

  /** Old lines come from the files, which are ahead of what has been told. */
  @Test
  public void shouldNotMistrustAClientThatHasReadAhead() throws Exception {
    CountDownLatch telling = new CountDownLatch(1);
    try (ServedJob served = new ServedJob(JOB, clock, folder.getRoot())) {
      record(served, 0, 1_500);
      served.log.runWhenDurable(() -> awaitUninterruptibly(telling));
      served.log.record(List.of(event(1_500)));
      while (served.log.readableLineCount() <= 1_500) {
        Thread.onSpinWait();
      }

      long seen = 0;
      while (seen <= 1_500) {
        seen += served.client().watch(null, seen(seen, 1)).getEventsCount();
      }
      WatchRequest more = seen(seen, 1).toBuilder().setPatienceMs(1).build();
      assertEquals(0, served.client().watch(null, more).getEventsCount());

      assertTrue(served.noEvent());
      telling.countDown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Where no client follows the job, its executors know by their heartbeats. */
  @Test
  public void shouldEndAJobOfWhichAnExecutorHasHeardMoreThanTheLogHas() throws Exception {
    HeartbeatRequest heartbeat =
        HeartbeatRequest.newBuilder().setTask(ServedJob.wire(WORKER)).build();
    HeartbeatResponse lastTold;
    try (ServedJob first = new ServedJob(JOB, clock, folder.getRoot())) {
      record(first, 0, 3);
      lastTold = first.executor().heartbeat(null, heartbeat);
      assertEquals(3, lastTold.getEvents());
      assertEquals(1, lastTold.getMasterAttempt());
    }
    try (ServedJob second = new ServedJob(JOB, clock, folder.getRoot(), 2)) {
      second.executor().register(null, registration(lastTold));
      assertEquals(Event.TaskRegistered.class, second.event().getClass());
      assertTrue("the log has as much", second.noEvent());

      HeartbeatResponse more = lastTold.toBuilder().setEvents(5).build();
      second.executor().register(null, registration(more));

      assertEquals(Event.TaskRegistered.class, second.event().getClass());
      assertEquals(
          new Event.LogIncomplete(
              clock.instant(),
              "the executor of worker:0 has seen 5 events of this job, the log has 3"),
          second.event());
    }
  }

  private static RegisterRequest registration(HeartbeatResponse lastTold) {
    return RegisterRequest.newBuilder()
        .setTask(ServedJob.wire(WORKER))
        .setHost("node-1")
        .setPort(7000)
        .setLastHeartbeat(lastTold)
        .build();
  }

  @Test
  public void shouldEndItAlsoForAClientThatDoesNotSayWhoToldIt() throws Exception {
    try (ServedJob served = new ServedJob(JOB, clock, folder.getRoot())) {
      record(served, 0, 3);
      assertFalse(served.client().watch(null, seen(4, 0)).getFinished());
      assertEquals(Event.LogIncomplete.class, served.event().getClass());
    }
  }

  @Test
  public void shouldAnswerAClientThatWaitsThoughManyLinesComeAtOnce() throws Exception {
    try (ServedJob served = new ServedJob(JOB, clock, folder.getRoot())) {
      ClientProtocol client = served.client();
      CountDownLatch asks = new CountDownLatch(1);
      var answer =
          ServedJob.inBackground(
              () -> {
                asks.countDown();
                return client.watch(null, WatchRequest.newBuilder().setSeen(0).build());
              });
      asks.await();

      served.log.record(events(0, 3_000));

      assertEquals(EventJson.write(event(0), true), answer.get().getEvents(0));
    }
  }

  @Test
  public void shouldTellAClientWhenOldLinesCannotBeRead() throws Exception {
    try (ServedJob served = new ServedJob(JOB, clock, folder.getRoot())) {
      record(served, 0, 3_000);
      FileSystem.getLocal(served.conf).delete(served.logFolder, true);

      ServiceException failed =
          assertThrows(ServiceException.class, () -> served.client().watch(null, seen(0, 1)));

      assertTrue(failed.toString(), failed.toString().contains("events.jsonl"));
      assertTrue(served.client().watch(null, seen(2_900, 1)).getEventsCount() > 0);
    }
  }
}
