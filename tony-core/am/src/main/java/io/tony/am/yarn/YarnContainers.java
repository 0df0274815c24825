package io.tony.am.yarn;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.machine.Event.ContainerEnd;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.am.scheduler.ExitCodes;
import io.tony.am.scheduler.InheritedContainers;
import io.tony.am.scheduler.Launcher;
import io.tony.config.TonyConfig;
import io.tony.container.MasterRequest;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers of a job on YARN, granted and requested. {@link JobContainerRequests} determines how
 * to request them, and {@link SchedulerThread} when to call the ResourceManager.
 */
public final class YarnContainers implements Containers {
  private static final Logger LOG = LoggerFactory.getLogger(YarnContainers.class);

  private final Configuration conf;
  private final YarnRegistration registration;
  private final AMRMClient<ContainerRequest> client;
  private final TonyConfig config;
  private final EventSink sink;
  private final InstantSource clock;
  private final String logUrlPrefix;
  private final String user;
  private final @Nullable String history;
  private final JobContainers containers = new JobContainers();
  private final SchedulerThread schedulerThread;

  // Once the scheduler thread runs, the following fields are used only on it.
  private final JobContainerRequests requests;
  private final Set<String> avoided = new HashSet<>();
  private final ClusterWatch clusterWatch;
  private final LocalizationFailures localization;
  private final DockerFailures docker;

  /**
   * Creates the object; {@link #start} begins to call YARN.
   *
   * @param user user as whom YARN's nodes run the job
   * @param history URL to which YARN's link leads after the application's end; null for YARN's own
   *     page
   * @param onDisowned runs on the scheduler thread after YARN has rejected this ApplicationMaster,
   *     which must not change the job any more; no event is offered then
   * @param registration registration of this ApplicationMaster with YARN
   */
  public YarnContainers(
      Configuration conf,
      TonyConfig config,
      JobSpec job,
      EventSink sink,
      InstantSource clock,
      String user,
      @Nullable String history,
      Runnable onDisowned,
      YarnRegistration registration) {
    this.conf = conf;
    this.registration = registration;
    this.client = registration.client();
    this.clusterWatch =
        new ClusterWatch(registration.response().getMaximumResourceCapability().getMemorySize());
    this.config = config;
    this.requests = registration.requests(job, config);
    this.sink = sink;
    this.clock = clock;
    this.user = user;
    this.history = history;
    this.localization = new LocalizationFailures(job);
    this.docker = new DockerFailures(job);
    this.schedulerThread = new SchedulerThread(new YarnExchange(), sink, clock, onDisowned);
    this.logUrlPrefix = NodeLogs.scheme(conf);
  }

  @Override
  public InheritedContainers start(Function<Set<String>, List<TaskKey>> heldTasks)
      throws IOException, YarnException {
    AllocateResponse first = registration.firstResponse();
    InheritedContainers inherited = inheritContainers(first, heldTasks);
    process(first);
    schedulerThread.start();
    return inherited;
  }

  private InheritedContainers inheritContainers(
      AllocateResponse first, Function<Set<String>, List<TaskKey>> heldTasks) {
    containers.inherit(registration.response().getContainersFromPreviousAttempts());
    containers.inherit(first.getContainersFromPreviousAttempts());
    Map<String, ContainerStatus> statuses = new HashMap<>();
    for (ContainerStatus status : first.getCompletedContainersStatuses()) {
      statuses.put(status.getContainerId().toString(), status);
      containers.remove(status.getContainerId());
    }
    Map<String, ContainerEnd> ended = new HashMap<>();
    for (TaskKey key : heldTasks.apply(statuses.keySet())) {
      ContainerEnd end = end(Objects.requireNonNull(statuses.get(key.container())), key.task(), "");
      LOG.info("{} of {} ended under no ApplicationMaster: {}", key.container(), key.task(), end);
      ended.put(key.container(), end);
    }
    return new InheritedContainers(containers.ids(), ended, clusterWatch.maxContainerMiB());
  }

  @Override
  public void request(RoleSpec role, int count) {
    schedulerThread.submit(() -> requests.add(role, count));
  }

  @Override
  public void cancel(RoleSpec role, int count) {
    schedulerThread.submit(() -> requests.withdraw(role, count));
  }

  @Override
  public void release(String container) {
    schedulerThread.submit(
        () -> {
          JobContainers.GrantedContainer released = containers.release(container);
          if (released != null) {
            client.releaseAssignedContainer(released.container().getId());
          }
        });
  }

  @Override
  public void avoid(Set<String> nodes) {
    schedulerThread.submit(
        () -> {
          // Mutable lists, because YARN's client library calls removeAll on them.
          List<String> more = new ArrayList<>(nodes);
          more.removeAll(avoided);
          List<String> fewer = new ArrayList<>(avoided);
          fewer.removeAll(nodes);
          client.updateBlacklist(more, fewer);
          avoided.addAll(more);
          fewer.forEach(avoided::remove);
        });
  }

  @Override
  public Launcher launcher(ExecutorLaunch launch) {
    return new YarnLauncher(conf, this, launch, sink, clock);
  }

  @Override
  public Optional<String> pageKey() {
    return Optional.empty();
  }

  @Override
  public void setTrackingUrl(String trackingUrl) {
    schedulerThread.submit(() -> client.updateTrackingUrl(trackingUrl));
  }

  /**
   * Returns the granted containers. The launcher assigns each to its task, so that the container's
   * end is reported as the task's.
   */
  JobContainers containers() {
    return containers;
  }

  @Override
  public void unregister(JobResult result) throws IOException, YarnException {
    close();
    FinalApplicationStatus status =
        switch (result.status()) {
          case SUCCEEDED -> FinalApplicationStatus.SUCCEEDED;
          case FAILED -> FinalApplicationStatus.FAILED;
          case KILLED -> FinalApplicationStatus.KILLED;
        };
    client.unregisterApplicationMaster(status, result.message(), history);
    client.stop();
  }

  @Override
  public void close() {
    schedulerThread.close();
  }

  /** The calls that the scheduler thread makes. */
  private final class YarnExchange implements SchedulerThread.Exchange {
    @Override
    public boolean call() throws IOException, YarnException {
      return process(client.allocate(0));
    }

    @Override
    public boolean hasPending() {
      return requests.hasPending();
    }
  }

  /**
   * Handles an answer of YARN. Returns true if it contained news: containers that were granted or
   * have ended, or running containers of an earlier ApplicationMaster. A rejection by YARN's
   * placement processor is not news, because rejections come every few heartbeats while nodes are
   * busy.
   */
  private boolean process(AllocateResponse response) {
    for (Container container : response.getContainersFromPreviousAttempts()) {
      restore(container);
    }
    for (Container container : response.getAllocatedContainers()) {
      onAllocated(container);
    }
    for (RejectedSchedulingRequest rejected : response.getRejectedSchedulingRequests()) {
      requests.ofPriority(rejected.getRequest().getPriority()).onRejected(rejected);
    }
    for (ContainerStatus status : response.getCompletedContainersStatuses()) {
      onEnded(status);
    }
    PreemptedContainers.toEvent(response.getPreemptionMessage(), containers, clock.instant())
        .ifPresent(sink::offer);
    clusterWatch.update(response, requests.hasPending(), clock.instant()).ifPresent(sink::offer);
    return !response.getContainersFromPreviousAttempts().isEmpty()
        || !response.getAllocatedContainers().isEmpty()
        || !response.getCompletedContainersStatuses().isEmpty();
  }

  /**
   * Handles a running container of an earlier ApplicationMaster that YARN reports late, for example
   * because the ResourceManager restarted at the same time as the ApplicationMaster. Releases the
   * container if no task has it.
   */
  private void restore(Container container) {
    if (!containers.restore(container)) {
      client.releaseAssignedContainer(container.getId());
    }
  }

  private void onAllocated(Container container) {
    RoleContainerRequests roleRequests = requests.ofPriority(container.getPriority());
    roleRequests.onAllocated(container);
    containers.grant(container);
    sink.offer(
        new Event.ContainerAllocated(
            clock.instant(),
            roleRequests.role().name(),
            container.getId().toString(),
            container.getNodeId().getHost(),
            NodeLogs.url(logUrlPrefix, container, user),
            container.getResource().getMemorySize()));
  }

  private void onEnded(ContainerStatus status) {
    boolean unused = containers.isUnused(status.getContainerId());
    String node = containers.node(status.getContainerId());
    TaskKey key = containers.remove(status.getContainerId());
    if (key != null) {
      ContainerEnd end = end(status, key.task(), node);
      sink.offer(new Event.ContainerEnded(clock.instant(), key, end.cause(), end.message()));
    } else if (unused) {
      sink.offer(
          new Event.UnusedContainerEnded(
              clock.instant(),
              status.getContainerId().toString(),
              ExitStatuses.kind(status),
              // The message about memory needs the task and the option's key; this container ran no
              // task, so that message is not used.
              ExitStatuses.message(status, null, "")));
    }
  }

  private ContainerEnd end(ContainerStatus status, TaskId task, String node) {
    String memoryKey = MasterRequest.memoryKey(config, task.role());
    return localization
        .classify(status, task, node)
        .or(() -> docker.classify(status, task, node))
        .or(
            () ->
                ExitCodes.startFailure(
                    config, status.getExitStatus(), ExitStatuses.diagnostics(status)))
        .orElseGet(
            () ->
                new ContainerEnd(
                    ExitStatuses.kind(status), ExitStatuses.message(status, task, memoryKey)));
  }
}
