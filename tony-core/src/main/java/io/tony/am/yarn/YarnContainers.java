package io.tony.am.yarn;

import io.tony.am.ContainerPort;
import io.tony.am.EventSink;
import io.tony.am.machine.Event;
import io.tony.config.JobOptions;
import io.tony.config.PlacementOptions;
import io.tony.config.RoleOptions;
import io.tony.config.TonyConfig;
import io.tony.config.TrackingUrl;
import io.tony.container.YarnResources;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ResourceManager's side. One thread talks to it: at once when there is something new to ask,
 * often while containers are owed, and as a heartbeat otherwise. (AMRMClientAsync sleeps a fixed
 * interval between its calls, whatever is asked meanwhile.) A role has one priority, which maps an
 * allocation back to its role; {@link RoleAsks} knows how each is asked for.
 */
public final class YarnContainers implements ContainerPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(YarnContainers.class);
  private static final long OWED_INTERVAL_MS = 100;
  private static final long IDLE_INTERVAL_MS = 1_000;

  /** What YARN itself notes for an application without a page: its link leads to YARN's own. */
  private static final String NO_PAGE = "N/A";

  private final AMRMClient<ContainerRequest> client = AMRMClient.createAMRMClient();
  private final TonyConfig config;
  private final JobSpec job;
  private final String applicationLabel;
  private final Optional<TensorBoardPage> tensorBoard;
  private final EventSink sink;
  private final InstantSource clock;
  private final String logUrlPrefix;
  private final String user;
  private final Runnable onDisowned;
  private final Map<String, Container> granted = new ConcurrentHashMap<>();
  private final Map<String, TaskKey> assigned = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this::talk, "resource-manager");

  /** What the loop wants of YARN; done by the thread, which alone touches what follows here. */
  private final BlockingQueue<Runnable> wishes = new LinkedBlockingQueue<>();

  private final Map<String, RoleAsks> asks = new LinkedHashMap<>();
  private final Map<Integer, RoleAsks> asksByPriority = new HashMap<>();
  private final Set<String> avoided = new HashSet<>();
  private final ClusterWatch watch = new ClusterWatch();
  private volatile boolean closed;

  /**
   * @param host of this ApplicationMaster, by the name that others know
   * @param onDisowned called by the talking thread when YARN has given this ApplicationMaster up,
   *     so that it must not touch the job any more; no event tells of it
   */
  public YarnContainers(
      Configuration conf,
      TonyConfig config,
      JobSpec job,
      EventSink sink,
      InstantSource clock,
      String host,
      String user,
      Runnable onDisowned)
      throws IOException {
    this.config = config;
    this.job = job;
    this.applicationLabel = config.find(PlacementOptions.NODE_LABEL).map(String::strip).orElse("");
    this.tensorBoard =
        config.get(JobOptions.TRACKING_URL) == TrackingUrl.TENSORBOARD
            ? Optional.of(TensorBoardPage.serve(host))
            : Optional.empty();
    this.sink = sink;
    this.clock = clock;
    this.user = user;
    this.onDisowned = onDisowned;
    this.logUrlPrefix = NodeLogs.scheme(conf);
    client.init(conf);
    thread.setDaemon(true);
  }

  /**
   * Registers this ApplicationMaster with YARN and begins to talk.
   *
   * @param tensorBoardUrl of a TensorBoard that runs on from an earlier ApplicationMaster, or empty
   * @return the containers that run on from an earlier ApplicationMaster of this application. Each
   *     of them is either {@linkplain #assign assigned} to its task or released
   */
  public Set<String> register(InetSocketAddress rpc, String tensorBoardUrl)
      throws IOException, YarnException {
    client.start();
    RegisterApplicationMasterResponse response =
        client.registerApplicationMaster(rpc.getHostString(), rpc.getPort(), link(tensorBoardUrl));
    YarnResources.learn(response.getResourceTypes());
    for (RoleAsks ofRole : RoleAsks.of(job, applicationLabel, client)) {
      asks.put(ofRole.role().name(), ofRole);
      asksByPriority.put(asks.size(), ofRole);
    }
    for (Container container : response.getContainersFromPreviousAttempts()) {
      granted.put(container.getId().toString(), container);
    }
    Set<String> alive = Set.copyOf(granted.keySet());
    thread.start();
    return alive;
  }

  @Override
  public void request(RoleSpec role, int count) {
    wishes.add(() -> asks.get(role.name()).add(count));
  }

  @Override
  public void cancel(RoleSpec role, int count) {
    wishes.add(() -> asks.get(role.name()).withdraw(count));
  }

  @Override
  public void release(String container) {
    wishes.add(
        () -> {
          Container released = granted.remove(container);
          if (released != null) {
            client.releaseAssignedContainer(released.getId());
          }
        });
  }

  @Override
  public void avoid(Set<String> nodes) {
    wishes.add(
        () -> {
          // Lists that can change: YARN's client compares the two by removeAll.
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
  public void showTensorBoard(String url) {
    if (tensorBoard.isPresent()) {
      wishes.add(() -> client.updateTrackingUrl(link(url)));
    }
  }

  private String link(String tensorBoardUrl) {
    if (tensorBoard.isEmpty() || tensorBoardUrl.isEmpty()) {
      return NO_PAGE;
    }
    tensorBoard.get().leadTo(tensorBoardUrl);
    return tensorBoard.get().url();
  }

  /**
   * Notes which task a container is for, so that its end is told as that task's, and gives the
   * container; null when it is gone already.
   */
  Container assign(TaskKey key) {
    assigned.put(key.container(), key);
    return granted.get(key.container());
  }

  /** Tells YARN how the job ended; returns when YARN has it. */
  public void unregister(JobResult result) throws IOException, YarnException {
    close();
    FinalApplicationStatus status =
        switch (result.status()) {
          case SUCCEEDED -> FinalApplicationStatus.SUCCEEDED;
          case FAILED -> FinalApplicationStatus.FAILED;
          case KILLED -> FinalApplicationStatus.KILLED;
        };
    client.unregisterApplicationMaster(status, result.message(), null);
    client.stop();
  }

  /** Ends the talk with YARN without telling it anything. */
  @Override
  public void close() {
    tensorBoard.ifPresent(TensorBoardPage::close);
    closed = true;
    thread.interrupt(); // also out of the client's own retries, while the ResourceManager is away
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void talk() {
    try {
      Runnable wish = null;
      while (!closed) {
        for (; wish != null; wish = wishes.poll()) {
          wish.run();
        }
        take(client.allocate(0));
        long wait = anythingOwed() ? OWED_INTERVAL_MS : IDLE_INTERVAL_MS;
        wish = wishes.poll(wait, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      // Also an Error: without this thread YARN would wait ten minutes to give the job up.
      fail(e);
    }
  }

  /**
   * The end of the talk. It cannot go on after a refusal either: YARN's client would ask for the
   * same again with every call.
   */
  private void fail(Throwable cause) {
    if (closed) {
      return; // interrupted in the middle of a call
    }
    if (SchedulerErrors.disowned(cause)) {
      LOG.error("YARN has given this ApplicationMaster up", cause);
      onDisowned.run();
      return;
    }
    FailureKind kind = SchedulerErrors.kind(cause);
    String what =
        kind == FailureKind.INVALID
            ? "YARN refuses what the job asks for"
            : "the ResourceManager cannot be talked to";
    LOG.error("{}", what, cause);
    sink.offer(
        new Event.SchedulerFailed(
            clock.instant(), kind, what + ": " + SchedulerErrors.sentence(cause)));
  }

  private void take(AllocateResponse response) {
    for (Container container : response.getContainersFromPreviousAttempts()) {
      takeBack(container);
    }
    for (Container container : response.getAllocatedContainers()) {
      allocated(container);
    }
    for (RejectedSchedulingRequest rejected : response.getRejectedSchedulingRequests()) {
      int priority = rejected.getRequest().getPriority().getPriority();
      asksByPriority.get(priority).rejected(rejected);
    }
    for (ContainerStatus status : response.getCompletedContainersStatuses()) {
      ended(status);
    }
    watch.see(response, anythingOwed(), clock.instant()).ifPresent(sink::offer);
  }

  /**
   * A ResourceManager that restarted together with the ApplicationMaster tells late what ran on.
   * What no task has by now is wanted by nobody.
   */
  private void takeBack(Container container) {
    String id = container.getId().toString();
    if (assigned.containsKey(id)) {
      granted.put(id, container);
    } else if (!granted.containsKey(id)) {
      client.releaseAssignedContainer(container.getId());
    }
  }

  private void allocated(Container container) {
    RoleAsks ofRole = asksByPriority.get(container.getPriority().getPriority());
    ofRole.allocated(container);
    String id = container.getId().toString();
    granted.put(id, container);
    sink.offer(
        new Event.ContainerAllocated(
            clock.instant(),
            ofRole.role().name(),
            id,
            container.getNodeId().getHost(),
            NodeLogs.url(logUrlPrefix, container, user)));
  }

  private void ended(ContainerStatus status) {
    String id = status.getContainerId().toString();
    granted.remove(id);
    TaskKey key = assigned.remove(id);
    if (key != null) {
      sink.offer(
          new Event.ContainerEnded(
              clock.instant(),
              key,
              ExitStatuses.kind(status),
              ExitStatuses.message(
                  status, key.task(), RoleOptions.memoryKey(config, key.task().role()))));
    }
  }

  private boolean anythingOwed() {
    return asks.values().stream().anyMatch(ofRole -> ofRole.owed() > 0);
  }
}
