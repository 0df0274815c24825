package io.tony.am.local;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.machine.Event.ContainerEnd;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.am.scheduler.Inherited;
import io.tony.am.scheduler.Launcher;
import io.tony.container.local.LocalApplication;
import io.tony.container.local.LocalContainer;
import io.tony.container.local.LocalNode;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The containers of this job, which are processes of this machine. */
final class LocalContainers implements Containers {
  private static final Logger LOG = LoggerFactory.getLogger(LocalContainers.class);

  private static final long ALL_ASKED_MS = 10;
  private static final long LOOK_MS = 250;

  private final Slots slots;
  private final LocalNode node;
  private final LocalApplication application;
  private final ApplicationAttemptId attempt;
  private final EventSink sink;
  private final InstantSource clock;
  private final ScheduledExecutorService times = Spawner.SYSTEM.scheduler("containers", 1);

  /** Those that run, or are being started: by their ids, with the tasks that they are for. */
  private final Map<String, Running> running = new HashMap<>();

  private ResourceSpec toldFree;
  private boolean clientEnded;

  private static final class Running {
    TaskKey task;
    LocalContainer process; // null until it is started
    boolean unwanted;

    Running(TaskKey task) {
      this.task = task;
    }
  }

  LocalContainers(
      Slots slots,
      LocalNode node,
      LocalApplication application,
      ApplicationAttemptId attempt,
      EventSink sink,
      InstantSource clock)
      throws IOException {
    this.slots = slots;
    this.node = node;
    this.application = application;
    this.attempt = attempt;
    this.sink = sink;
    this.clock = clock;
  }

  /** This machine runs one ApplicationMaster of a job, and none inherits anything. */
  @Override
  public synchronized Inherited start(Function<Set<String>, List<TaskKey>> held)
      throws IOException {
    application.client().ifPresentOrElse(this::watch, this::stop);
    tellFree();
    return new Inherited(Set.of(), Map.of(), 0);
  }

  private void watch(ProcessHandle client) {
    ScheduledFuture<?> unused =
        times.scheduleWithFixedDelay(() -> look(client), 0, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void look(ProcessHandle client) {
    if (!clientEnded && !client.isAlive()) {
      clientEnded = true;
      stop();
    }
  }

  /** Whoever runs a job on his own machine sees it, or ends it. */
  private void stop() {
    sink.offer(new Event.StopRequested(clock.instant(), "the end of its client"));
  }

  @Override
  public Launcher launcher(ExecutorLaunch launch) throws IOException {
    return new LocalLauncher(this, node, launch);
  }

  @Override
  public synchronized void request(RoleSpec role, int count) {
    slots.ask(role, count);
    // One decision may ask for several roles: all are known before the first is given anything.
    ScheduledFuture<?> unused = times.schedule(this::give, ALL_ASKED_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public synchronized void cancel(RoleSpec role, int count) {
    slots.withdraw(role, count);
    give();
  }

  @Override
  public synchronized void release(String container) {
    Running one = running.get(container);
    if (one == null) {
      free(container);
    } else {
      stop(one);
    }
  }

  /** There is no other node to go to. */
  @Override
  public void avoid(Set<String> nodes) {}

  @Override
  public Optional<String> pageKey() throws IOException {
    return application.read(LocalApplication.Item.KEY);
  }

  @Override
  public void leadTo(String trackingUrl) {
    try {
      if (trackingUrl.startsWith("http:")) {
        String path = pageKey().map(key -> key + "/").orElse("");
        application.write(LocalApplication.Item.PAGE, trackingUrl + path);
      }
    } catch (IOException e) {
      LOG.warn("The client is not told where the job's page is", e);
    }
  }

  private void free(String container) {
    slots.takeBack(ContainerId.fromString(container).getContainerId());
    give();
  }

  private synchronized void give() {
    for (Slots.Slot slot : slots.give()) {
      ContainerId id = id(slot);
      sink.offer(
          new Event.ContainerAllocated(
              clock.instant(),
              slot.role().name(),
              id.toString(),
              LocalNode.HOST,
              node.logs(id).toUri().toString(),
              slot.role().resource().memoryMiB()));
    }
    if (slots.waits()) {
      tellFree();
    }
  }

  private ContainerId id(Slots.Slot slot) {
    return ContainerId.newContainerId(attempt, slot.number());
  }

  private void tellFree() {
    ResourceSpec free = slots.free();
    if (!free.equals(toldFree)) {
      toldFree = free;
      sink.offer(new Event.ClusterChanged(clock.instant(), free, 1));
    }
  }

  /**
   * A container is about to be started for a task.
   *
   * @return what it has to itself, as variables of its environment; nothing where it is gone
   */
  synchronized Optional<Map<String, String>> begin(TaskKey key) {
    Slots.Slot slot = slots.at(ContainerId.fromString(key.container()).getContainerId());
    if (slot == null) {
      return Optional.empty();
    }
    running.put(key.container(), new Running(key));
    return Optional.of(slots.variables(slot));
  }

  /** It runs; where nobody wants it any more, not for long. */
  synchronized void started(TaskKey key, LocalContainer process, IntFunction<ContainerEnd> end) {
    Running one = running.get(key.container());
    one.process = process;
    process
        .ended()
        .thenAccept(status -> ended(key.container(), end.apply(status)))
        .exceptionally(this::defect);
    if (one.unwanted) {
      process.stop();
    }
  }

  private Void defect(Throwable defect) {
    sink.defect(defect);
    return null;
  }

  /** It has ended, or could not be started. */
  synchronized void ended(String container, ContainerEnd end) {
    tellEnd(running.remove(container).task, end);
    free(container);
  }

  void tellEnd(TaskKey key, ContainerEnd end) {
    sink.offer(new Event.ContainerEnded(clock.instant(), key, end.cause(), end.message()));
  }

  synchronized void move(TaskKey to) {
    Running one = running.get(to.container());
    if (one != null) {
      one.task = to;
    }
  }

  private static void stop(Running one) {
    one.unwanted = true;
    if (one.process != null) {
      one.process.stop();
    }
  }

  @Override
  public void unregister(JobResult result) throws IOException {
    application.write(LocalApplication.Item.END, result.status() + "\n" + result.message());
  }

  @Override
  public void close() {
    times.shutdownNow();
  }
}
