package io.tony.am.yarn;

import io.tony.am.ContainerPort;
import io.tony.am.EventSink;
import io.tony.am.machine.Event;
import io.tony.container.YarnResources;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ResourceManager's side. One thread talks to it: at once when there is something new to ask,
 * often while containers are owed, and as a heartbeat otherwise. (AMRMClientAsync sleeps a fixed
 * interval between its calls, whatever is asked meanwhile.) A role has one priority, which maps an
 * allocation back to its role, so that the scheduler keeps one queue per role and not one per task.
 */
public final class YarnContainers implements ContainerPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(YarnContainers.class);
  private static final long OWED_INTERVAL_MS = 100;
  private static final long IDLE_INTERVAL_MS = 1_000;

  private final AMRMClient<ContainerRequest> client = AMRMClient.createAMRMClient();
  private final EventSink sink;
  private final InstantSource clock;
  private final String logUrlPrefix;
  private final String user;
  private final Map<String, Integer> priorities = new HashMap<>();
  private final Map<Integer, RoleSpec> roles = new HashMap<>();
  private final Map<String, Container> granted = new ConcurrentHashMap<>();
  private final Map<String, TaskKey> assigned = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this::talk, "resource-manager");

  /** What the loop wants of YARN; done by the thread, which alone touches the client's tables. */
  private final BlockingQueue<Runnable> wishes = new LinkedBlockingQueue<>();

  private final Map<String, Deque<ContainerRequest>> owed = new HashMap<>();
  private volatile boolean closed;

  public YarnContainers(
      Configuration conf, JobSpec job, EventSink sink, InstantSource clock, String user) {
    this.sink = sink;
    this.clock = clock;
    this.user = user;
    this.logUrlPrefix = NodeLogs.scheme(conf);
    for (RoleSpec role : job.roles()) {
      int priority = priorities.size() + 1;
      priorities.put(role.name(), priority);
      roles.put(priority, role);
      owed.put(role.name(), new ArrayDeque<>());
    }
    client.init(conf);
    thread.setDaemon(true);
  }

  /** Registers this ApplicationMaster with YARN and begins to talk. */
  public void register(InetSocketAddress rpc, String trackingUrl)
      throws IOException, YarnException {
    client.start();
    client.registerApplicationMaster(rpc.getHostString(), rpc.getPort(), trackingUrl);
    thread.start();
  }

  @Override
  public void request(RoleSpec role, int count) {
    wishes.add(
        () -> {
          for (int i = 0; i < count; i++) {
            ContainerRequest request =
                ContainerRequest.newBuilder()
                    .capability(YarnResources.of(role.resource()))
                    .priority(Priority.newInstance(priorities.get(role.name())))
                    .nodeLabelsExpression(
                        role.placement().nodeLabel().isEmpty()
                            ? null
                            : role.placement().nodeLabel())
                    .build();
            owed.get(role.name()).add(request);
            client.addContainerRequest(request);
          }
        });
  }

  @Override
  public void cancel(RoleSpec role, int count) {
    wishes.add(
        () -> {
          for (int i = 0; i < count; i++) {
            withdraw(role);
          }
        });
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
    throw new UnsupportedOperationException();
  }

  /** Notes which task a container is for, and gives the container; null when it is gone already. */
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
    } catch (ApplicationAttemptNotFoundException | ApplicationMasterNotRegisteredException e) {
      fail("YARN does not know this ApplicationMaster any more", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      // Also an Error: without this thread YARN would wait ten minutes to give the job up.
      fail("the ResourceManager cannot be talked to", e);
    }
  }

  private void fail(String what, Throwable cause) {
    if (closed) {
      return; // interrupted in the middle of a call
    }
    LOG.error("{}", what, cause);
    sink.offer(
        new Event.SchedulerFailed(
            clock.instant(), FailureKind.LOST, what + ": " + cause.getMessage()));
  }

  private void take(AllocateResponse response) {
    for (Container container : response.getAllocatedContainers()) {
      RoleSpec role = roles.get(container.getPriority().getPriority());
      // What was asked for stays asked for until it is taken back (YARN-1902).
      withdraw(role);
      String id = container.getId().toString();
      granted.put(id, container);
      sink.offer(
          new Event.ContainerAllocated(
              clock.instant(),
              role.name(),
              id,
              container.getNodeId().getHost(),
              NodeLogs.url(logUrlPrefix, container, user)));
    }
    for (ContainerStatus status : response.getCompletedContainersStatuses()) {
      ContainerId id = status.getContainerId();
      granted.remove(id.toString());
      TaskKey key = assigned.remove(id.toString());
      if (key != null) {
        sink.offer(
            new Event.ContainerEnded(
                clock.instant(), key, ExitStatuses.kind(status), ExitStatuses.message(status)));
      }
    }
  }

  private void withdraw(RoleSpec role) {
    ContainerRequest request = owed.get(role.name()).poll();
    if (request != null) {
      client.removeContainerRequest(request);
    }
  }

  private boolean anythingOwed() {
    return owed.values().stream().anyMatch(requests -> !requests.isEmpty());
  }
}
