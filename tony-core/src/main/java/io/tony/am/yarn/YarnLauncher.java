package io.tony.am.yarn;

import io.tony.am.EventSink;
import io.tony.am.LaunchPort;
import io.tony.am.machine.Event;
import io.tony.model.FailureKind;
import io.tony.model.TaskKey;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.async.NMClientAsync;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes' side: starts executors in their containers, and stops containers. */
public final class YarnLauncher extends NMClientAsync.AbstractCallbackHandler
    implements LaunchPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(YarnLauncher.class);

  private final YarnContainers containers;
  private final ExecutorLaunch executorLaunch;
  private final EventSink sink;
  private final InstantSource clock;
  private final NMClientAsync client;
  private final Map<ContainerId, TaskKey> launched = new ConcurrentHashMap<>();
  private final Map<TaskKey, Container> running = new ConcurrentHashMap<>();

  public YarnLauncher(
      Configuration conf,
      YarnContainers containers,
      ExecutorLaunch executorLaunch,
      EventSink sink,
      InstantSource clock) {
    this.containers = containers;
    this.executorLaunch = executorLaunch;
    this.sink = sink;
    this.clock = clock;
    this.client = NMClientAsync.createNMClientAsync(this);
    client.init(conf);
    client.start();
  }

  @Override
  public void launch(TaskKey key) {
    Container container = containers.assign(key);
    if (container == null) {
      fail(key, "the container was gone before its executor could be started");
      return;
    }
    launched.put(container.getId(), key);
    running.put(key, container);
    client.startContainerAsync(container, executorLaunch.context(key, container));
  }

  @Override
  public void stop(TaskKey key) {
    Container container = running.get(key);
    if (container != null) {
      client.stopContainerAsync(container.getId(), container.getNodeId());
      // Should the node not answer, the ResourceManager knows by this that nobody wants it.
      containers.release(key.container());
    }
  }

  private void fail(TaskKey key, String message) {
    sink.offer(new Event.ContainerEnded(clock.instant(), key, FailureKind.LOST, message));
  }

  @Override
  public void onStartContainerError(ContainerId id, Throwable cause) {
    LOG.warn("Container {} did not start", id, cause);
    TaskKey key = launched.get(id);
    if (key != null) {
      fail(key, "its executor could not be started: " + cause.getMessage());
      containers.release(key.container());
    }
  }

  @Override
  public void onStopContainerError(ContainerId id, Throwable cause) {
    // It has ended already, or its node is lost; the ResourceManager reports either.
    LOG.info("Container {} could not be stopped: {}", id, cause.toString());
  }

  @Override
  public void onContainerStarted(ContainerId id, Map<String, ByteBuffer> services) {}

  @Override
  public void onContainerStopped(ContainerId id) {}

  @Override
  public void onContainerStatusReceived(ContainerId id, ContainerStatus status) {}

  @Override
  public void onGetContainerStatusError(ContainerId id, Throwable cause) {}

  @Override
  public void onContainerResourceUpdated(ContainerId id, Resource resource) {}

  @Deprecated
  @Override
  public void onContainerResourceIncreased(ContainerId id, Resource resource) {}

  @Deprecated
  @Override
  public void onIncreaseContainerResourceError(ContainerId id, Throwable cause) {}

  @Override
  public void onUpdateContainerResourceError(ContainerId id, Throwable cause) {}

  @Override
  public void close() {
    // Containers are not this client's to stop: YARN stops what is left when the application ends.
    client.getClient().cleanupRunningContainersOnStop(false);
    client.stop();
  }
}
