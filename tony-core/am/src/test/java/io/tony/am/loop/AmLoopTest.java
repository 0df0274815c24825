package io.tony.am.loop;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.ContainerPort;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobState;
import io.tony.am.machine.LaunchPort;
import io.tony.am.machine.MachinePorts;
import io.tony.am.machine.PagePort;
import io.tony.am.machine.TaskPort;
import io.tony.clock.AwakeClock;
import io.tony.eventlog.Journal;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.SampleJob;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** The loop with a world behind its ports that answers each action at once. */
public class AmLoopTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final InstantSource clock = () -> Instant.EPOCH.plusNanos(this.nanos.get());
  private final List<String> done = new ArrayList<>();
  private final List<List<String>> recorded = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong();

  /** Serves what is asked for, unless the test says that nothing comes. */
  private final class World implements ContainerPort, LaunchPort, TaskPort, PagePort, Journal {
    private final EventSink sink;
    private final boolean serves;
    private int containers;

    World(EventSink sink, boolean serves) {
      this.sink = sink;
      this.serves = serves;
    }

    @Override
    public void request(RoleSpec role, int count) {
      done.add("request " + count + " " + role.name());
      for (int i = 0; serves && i <= count; i++) { // one too many
        sink.offer(
            new Event.ContainerAllocated(
                clock.instant(), role.name(), "c" + containers++, "node", "log"));
      }
    }

    @Override
    public void cancel(RoleSpec role, int count) {
      done.add("cancel " + count + " " + role.name());
    }

    @Override
    public void release(String container) {
      done.add("release " + container);
    }

    @Override
    public void avoid(Set<String> nodes) {
      done.add("avoid " + nodes);
    }

    @Override
    public void showTensorBoard(String url) {
      done.add("show " + url);
    }

    @Override
    public void launch(TaskKey key) {
      done.add("launch " + key.task());
      Endpoint endpoint = new Endpoint("host", 7000 + key.task().index());
      int tensorBoardPort = key.task().index() == 0 ? 6006 : 0;
      sink.offer(new Event.TaskRegistered(clock.instant(), key, endpoint, tensorBoardPort));
    }

    @Override
    public void move(TaskKey to) {
      done.add("move to " + to.task());
    }

    @Override
    public void openShell(long tunnel) {}

    @Override
    public void refuseShell(long tunnel, String why) {}

    @Override
    public void stop(TaskKey key) {
      done.add("stop container of " + key.task());
    }

    @Override
    public void expect(TaskKey key) {
      done.add("expect " + key.task());
    }

    @Override
    public void start(StartTask start) {
      done.add("start " + start.key().task() + " of " + start.cluster().size());
      if (start.tensorBoardPort() > 0) {
        sink.offer(new Event.TensorBoardListens(clock.instant(), start.key()));
      }
      Event.Exit exit = new Event.Exit(0, "", Map.of(), "", false, false);
      sink.offer(new Event.TaskExited(clock.instant(), start.key(), exit));
    }

    @Override
    public void restart(TaskKey to, String reason, boolean stacks) {
      done.add("restart " + to.task());
    }

    @Override
    public void requestCheckpoint(TaskKey key, Instant at) {
      done.add("ask for a checkpoint of " + key.task());
    }

    @Override
    public void stop(TaskKey key, String reason, boolean stacks) {
      done.add("stop " + key.task());
      Event.Exit exit = new Event.Exit(143, "", Map.of(), "", false, false);
      sink.offer(new Event.TaskExited(clock.instant(), key, exit));
    }

    @Override
    public void record(List<JobEvent> decision) {
      if (decision.stream().anyMatch(event -> event.type() == JobEvent.Type.JOB_FINISHED)) {
        done.add("finished");
      }
      recorded.add(decision.stream().map(event -> event.type().name()).toList());
    }

    @Override
    public void runWhenDurable(Runnable step) {
      step.run();
    }
  }

  private AmLoop loop(SampleJob job) {
    return new AmLoop(JobState.initial(job.spec(), 7), clock, nanos::get);
  }

  private Event.AmReady ready() {
    return new Event.AmReady(clock.instant(), 1, "host", Set.of());
  }

  private JobResult run(AmLoop loop, boolean serves) throws InterruptedException {
    World world = new World(loop, serves);
    return loop.run(
        ready(),
        new MachinePorts(
            world, world, world, world, () -> done.add("publish"), whole -> done.add("drop")),
        world);
  }

  @Test
  public void shouldDoInOrderWhatTheMachineDecides() throws InterruptedException {
    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), run(loop(job()), true));

    assertEquals(
        List.of(
            "publish",
            "request 2 worker",
            "expect worker:0",
            "launch worker:0",
            "expect worker:1",
            "launch worker:1",
            "release c2",
            "start worker:0 of 2",
            "start worker:1 of 2",
            "show http://host:6006",
            "stop worker:0",
            "show ",
            "finished", // recorded before anybody is told
            "stop worker:1"),
        done);
  }

  @Test
  public void shouldTellTheMachineThatATimerHasRunOut() throws InterruptedException {
    AmLoop loop =
        new AmLoop(
            JobState.initial(job().workers(3).allocationLimit(Duration.ofMillis(30)).spec(), 7),
            clock,
            System::nanoTime);
    JobResult result = run(loop, false);

    assertEquals(FailureKind.TIMEOUT, result.kind());
    assertEquals(List.of("publish", "request 3 worker", "finished", "cancel 3 worker"), done);
  }

  @Test
  public void shouldNotWaitForATimerThatWasCancelled() throws InterruptedException {
    SampleJob job =
        job()
            .workers(1)
            .applicationLimit(Duration.ofHours(1))
            .allocationLimit(Duration.ofHours(1))
            .registrationLimit(Duration.ofHours(1));

    assertEquals(JobResult.Status.SUCCEEDED, run(loop(job), true).status());
  }

  @Test
  public void shouldTellWhenWhatFollowsFromAnEventIsRecorded() throws InterruptedException {
    AmLoop loop = loop(job());
    loop.offer(
        new Event.StopRequested(clock.instant(), "ada"),
        () -> done.add("known with " + recorded.get(recorded.size() - 1)));

    run(loop, false);

    List<String> known = done.stream().filter(line -> line.startsWith("known with")).toList();
    assertEquals(1, known.size());
    assertTrue(known.toString(), known.get(0).contains("JOB_"));
  }

  @Test
  public void shouldRecordEachDecisionAsAWhole() throws InterruptedException {
    run(loop(job().workers(1)), true);

    assertEquals(
        List.of(
            List.of("AM_STARTED", "JOB_DESCRIBED", "GANG_REQUESTED"),
            List.of("TASK_ALLOCATED"),
            List.of("TASK_REGISTERED", "GANG_RUNNING"),
            List.of("TENSORBOARD"),
            List.of("TASK_SUCCEEDED", "JOB_STOPPING", "JOB_FINISHED")),
        recorded);
  }

  @Test
  public void shouldDoNothingBeforeItIsRecorded() throws InterruptedException {
    AmLoop loop = loop(job().workers(1));
    World world = new World(loop, true);
    Journal fenced =
        new Journal() {
          @Override
          public void record(List<JobEvent> decision) {
            world.record(decision);
          }

          @Override
          public void runWhenDurable(Runnable step) {
            // Another ApplicationMaster has the job.
          }
        };
    loop.offer(new Event.StopRequested(clock.instant(), "ada"));

    loop.run(
        ready(),
        new MachinePorts(
            world, world, world, world, () -> done.add("publish"), whole -> done.add("drop")),
        fenced);

    assertEquals(List.of("finished"), done);
  }

  @Test
  public void shouldThrowWhenWhatIsDecidedCannotBeDone() {
    AmLoop loop = loop(job().workers(1));
    World world = new World(loop, true);
    LaunchPort broken =
        new LaunchPort() {
          @Override
          public void launch(TaskKey key) {
            throw new IllegalArgumentException("no such file");
          }

          @Override
          public void move(TaskKey to) {}

          @Override
          public void stop(TaskKey key) {}
        };

    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () ->
                loop.run(
                    ready(),
                    new MachinePorts(
                        world,
                        broken,
                        world,
                        world,
                        () -> done.add("publish"),
                        whole -> done.add("drop")),
                    world));

    assertEquals(
        "what was decided could not be done: java.lang.IllegalArgumentException: no such file",
        e.getMessage());
  }

  // ---- Time ----

  /** What is launched is registered at once, and then, or before, so much time passes. */
  private JobResult runWithDelay(Duration before, Duration after) throws InterruptedException {
    return runWithDelay(before, after, nanos::get);
  }

  private JobResult runWithDelay(Duration before, Duration after, LongSupplier nanoTime)
      throws InterruptedException {
    JobSpec spec = job().workers(1).registrationLimit(Duration.ofSeconds(2)).spec();
    AmLoop loop = new AmLoop(JobState.initial(spec, 7), clock, nanoTime);
    World world = new World(loop, true);
    LaunchPort slow =
        new LaunchPort() {
          @Override
          public void launch(TaskKey key) {
            nanos.addAndGet(before.toNanos());
            world.launch(key);
            nanos.addAndGet(after.toNanos());
          }

          @Override
          public void move(TaskKey to) {
            world.move(to);
          }

          @Override
          public void stop(TaskKey key) {
            world.stop(key);
          }
        };
    return loop.run(
        ready(),
        new MachinePorts(
            world, slow, world, world, () -> done.add("publish"), whole -> done.add("drop")),
        world);
  }

  @Test
  public void shouldTakeWhatWasQueuedBeforeATimerCameDue() throws InterruptedException {
    JobResult result = runWithDelay(Duration.ZERO, Duration.ofMillis(2500));

    assertEquals(result.toString(), JobResult.Status.SUCCEEDED, result.status());
  }

  @Test
  public void shouldFireATimerBeforeWhatWasQueuedLater() throws InterruptedException {
    JobResult result = runWithDelay(Duration.ofMillis(2500), Duration.ZERO);

    assertEquals(result.toString(), FailureKind.TIMEOUT, result.kind());
  }

  @Test
  public void shouldNotCountTheTimeInWhichItStoodStill() throws InterruptedException {
    AwakeClock awake = new AwakeClock(nanos::get);
    JobResult result = runWithDelay(Duration.ofHours(1), Duration.ZERO, awake::nanos);

    assertEquals(result.toString(), JobResult.Status.SUCCEEDED, result.status());
  }

  @Test
  public void shouldThrowWhenSomethingHappensThatCannot() {
    AmLoop loop = loop(job());
    loop.offer(ready());

    assertThrows(IllegalStateException.class, () -> run(loop, false));
  }
}
