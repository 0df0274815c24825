package io.tony.am.local;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.machine.Event.ContainerEnd;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.am.scheduler.InheritedContainers;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Containers of a job on this machine; each is a process. Thread-safe. */
final class LocalContainers implements Containers {
  private static final Logger LOG = LoggerFactory.getLogger(LocalContainers.class);

  private static final long BATCH_DELAY_MS = 10;
  private static final long CLIENT_POLL_MS = 250;

  private final Slots slots;
  private final LocalNode node;
  private final LocalApplication application;
  private final ApplicationAttemptId attempt;
  private final EventSink sink;
  private final InstantSource clock;
  private final ScheduledExecutorService timers = Spawner.SYSTEM.newScheduler("containers", 1);

  /** Containers that run or are being started, by container ID. */
  private final Map<String, RunningContainer> running = new HashMap<>();

  private @Nullable ResourceSpec reportedFree; // null before the first report
  private boolean clientEnded;

  private static final class RunningContainer {
    TaskKey task;
    @Nullable LocalContainer process; // null until the process has started
    boolean stopRequested;

    RunningContainer(TaskKey task) {
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

  /**
   * Starts to allocate containers. There are none to take over: a local job has a single
   * ApplicationMaster attempt.
   */
  @Override
  public synchronized InheritedContainers start(Function<Set<String>, List<TaskKey>> heldTasks)
      throws IOException {
    application.client().ifPresentOrElse(this::watch, this::stop);
    reportFree();
    return new InheritedContainers(Set.of(), Map.of(), 0);
  }

  private void watch(ProcessHandle client) {
    ScheduledFuture<?> unused =
        timers.scheduleWithFixedDelay(
            () -> pollClient(client), 0, CLIENT_POLL_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void pollClient(ProcessHandle client) {
    if (!clientEnded && !client.isAlive()) {
      clientEnded = true;
      stop();
    }
  }

  /**
   * Requests the end of the job, because its client's process has ended: a local job does not
   * outlive its client.
   */
  private void stop() {
    sink.offer(new Event.StopRequested(clock.instant(), "the end of its client"));
  }

  @Override
  public Launcher launcher(ExecutorLaunch launch) throws IOException {
    return new LocalLauncher(this, node, launch);
  }

  @Override
  public synchronized void request(RoleSpec role, int count) {
    slots.request(role, count);
    // Allocate only after a short delay, when all requests of one decision are known: it may
    // request several roles.
    ScheduledFuture<?> unused =
        timers.schedule(this::allocate, BATCH_DELAY_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public synchronized void cancel(RoleSpec role, int count) {
    slots.withdraw(role, count);
    allocate();
  }

  @Override
  public synchronized void release(String container) {
    RunningContainer runningContainer = running.get(container);
    if (runningContainer == null) {
      free(container);
    } else {
      stop(runningContainer);
    }
  }

  /** Does nothing: this machine is the only node. */
  @Override
  public void avoid(Set<String> nodes) {}

  @Override
  public Optional<String> pageKey() throws IOException {
    return application.read(LocalApplication.Item.KEY);
  }

  @Override
  public void setTrackingUrl(String trackingUrl) {
    try {
      if (trackingUrl.startsWith("http:")) {
        String path = pageKey().map(key -> key + "/").orElse("");
        application.write(LocalApplication.Item.PAGE, trackingUrl + path);
      }
    } catch (IOException e) {
      LOG.warn("The address of the job's page is not sent to the client", e);
    }
  }

  private void free(String container) {
    slots.release(ContainerId.fromString(container).getContainerId());
    allocate();
  }

  private synchronized void allocate() {
    for (Slots.Slot slot : slots.allocate()) {
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
    if (slots.hasPending()) {
      reportFree();
    }
  }

  private ContainerId id(Slots.Slot slot) {
    return ContainerId.newContainerId(attempt, slot.number());
  }

  private void reportFree() {
    ResourceSpec free = slots.free();
    if (!free.equals(reportedFree)) {
      reportedFree = free;
      sink.offer(new Event.ClusterChanged(clock.instant(), free, 1));
    }
  }

  /**
   * Assigns a container to a task that is about to start in it.
   *
   * @return environment variables that restrict the container to its own GPUs; empty if the
   *     container no longer exists
   */
  synchronized Optional<Map<String, String>> assign(TaskKey key) {
    Slots.Slot slot = slots.get(ContainerId.fromString(key.container()).getContainerId());
    if (slot == null) {
      return Optional.empty();
    }
    running.put(key.container(), new RunningContainer(key));
    return Optional.of(slots.variables(slot));
  }

  /**
   * Records that the container's process has started. Stops the process if that was requested in
   * the meantime.
   *
   * @param end explains the end of the container, given the exit status of its process
   */
  synchronized void onStarted(TaskKey key, LocalContainer process, IntFunction<ContainerEnd> end) {
    RunningContainer runningContainer = Objects.requireNonNull(running.get(key.container()));
    runningContainer.process = process;
    process
        .exitStatus()
        .thenAccept(status -> onEnded(key.container(), end.apply(status)))
        .exceptionally(this::defect);
    if (runningContainer.stopRequested) {
      process.stop();
    }
  }

  private @Nullable Void defect(Throwable defect) {
    sink.reportDefect(defect);
    return null;
  }

  /**
   * Records that the container's process has ended, or could not be started, and frees the
   * container's resources.
   */
  synchronized void onEnded(String container, ContainerEnd end) {
    reportEnd(running.remove(container).task, end);
    free(container);
  }

  void reportEnd(TaskKey key, ContainerEnd end) {
    sink.offer(new Event.ContainerEnded(clock.instant(), key, end.cause(), end.message()));
  }

  synchronized void move(TaskKey to) {
    RunningContainer runningContainer = running.get(to.container());
    if (runningContainer != null) {
      runningContainer.task = to;
    }
  }

  private static void stop(RunningContainer runningContainer) {
    runningContainer.stopRequested = true;
    if (runningContainer.process != null) {
      runningContainer.process.stop();
    }
  }

  @Override
  public void unregister(JobResult result) throws IOException {
    application.write(LocalApplication.Item.END, result.status() + "\n" + result.message());
  }

  @Override
  public void close() {
    timers.shutdownNow();
  }
}
