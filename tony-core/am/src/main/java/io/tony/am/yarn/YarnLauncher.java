package io.tony.am.yarn;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.ContainerPort;
import io.tony.am.machine.Event;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.am.scheduler.Launcher;
import io.tony.model.FailureKind;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.async.NMClientAsync;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops executors on YARN's nodes, in the containers of {@link YarnContainers}, which
 * also learns of the containers' ends.
 */
public final class YarnLauncher extends NMClientAsync.AbstractCallbackHandler implements Launcher {
  private static final Logger LOG = LoggerFactory.getLogger(YarnLauncher.class);
  private static final int MAX_STOP_THREADS = 8;

  private final ContainerPort scheduler;
  private final JobContainers containers;
  private final ExecutorLaunch executorLaunch;
  private final EventSink sink;
  private final InstantSource clock;
  private final NMClientAsync client;
  private final ExecutorService stopper =
      Spawner.SYSTEM.newThreadPool("stop-container", MAX_STOP_THREADS);

  public YarnLauncher(
      Configuration conf,
      YarnContainers containers,
      ExecutorLaunch executorLaunch,
      EventSink sink,
      InstantSource clock) {
    this.scheduler = containers;
    this.containers = containers.containers();
    this.executorLaunch = executorLaunch;
    this.sink = sink;
    this.clock = clock;
    this.client = NMClientAsync.createNMClientAsync(this);
    client.init(conf);
    client.start();
  }

  @Override
  public void launch(TaskKey key) {
    JobContainers.GrantedContainer granted = containers.get(key.container());
    if (granted == null || !containers.assign(key)) {
      fail(key, "the container was gone before its executor could be started");
      return;
    }
    Container container = granted.container();
    try {
      client.startContainerAsync(
          container, executorLaunch.context(key, container.getNodeId().getHost()));
    } catch (IOException e) {
      onStartContainerError(container.getId(), e);
    }
  }

  @Override
  public boolean adopt(TaskKey key) {
    return containers.assign(key);
  }

  @Override
  public void move(TaskKey to) {
    containers.assign(to);
  }

  @Override
  public void stop(TaskKey key) {
    JobContainers.GrantedContainer granted = containers.get(key.container());
    if (granted != null) {
      Container container = granted.container();
      if (granted.inherited()) {
        stopAdopted(container);
      } else {
        client.stopContainerAsync(container.getId(), container.getNodeId());
      }
      // Also release the container: if its node does not answer, the ResourceManager ends it.
      scheduler.release(key.container());
    }
  }

  /**
   * Stops the container of an executor that an earlier ApplicationMaster started. YARN's
   * asynchronous client refuses to stop containers that it did not start.
   */
  private void stopAdopted(Container container) {
    try {
      stopper.execute(
          () -> {
            try {
              client.getClient().stopContainer(container.getId(), container.getNodeId());
            } catch (YarnException | IOException e) {
              onStopContainerError(container.getId(), e);
            }
          });
    } catch (RejectedExecutionException e) {
      onStopContainerError(container.getId(), e);
    }
  }

  private void fail(TaskKey key, String message) {
    sink.offer(new Event.ContainerEnded(clock.instant(), key, FailureKind.LOST, message));
  }

  @Override
  public void onStartContainerError(ContainerId id, Throwable cause) {
    LOG.warn("Container {} did not start", id, cause);
    TaskKey key = containers.task(id);
    if (key != null) {
      fail(key, "its executor could not be started: " + cause.getMessage());
      scheduler.release(key.container());
    }
  }

  @Override
  public void onStopContainerError(ContainerId id, Throwable cause) {
    // The container has already ended, or its node is lost. The ResourceManager reports both.
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
    // Leave the containers running: YARN stops those that remain when the application ends.
    stopper.shutdownNow();
    client.getClient().cleanupRunningContainersOnStop(false);
    client.stop();
  }
}
