package io.tony.am.local;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.am.scheduler.Launcher;
import io.tony.container.local.LocalNode;
import io.tony.model.FailureKind;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts executors as processes of this machine, one after another. */
final class LocalLauncher implements Launcher {
  private static final Logger LOG = LoggerFactory.getLogger(LocalLauncher.class);

  private static final String CONTAINER_GONE =
      "the container was gone before its executor could be started";

  private final LocalContainers containers;
  private final LocalNode node;
  private final ExecutorLaunch launch;
  private final ExecutorService starter;

  LocalLauncher(LocalContainers containers, LocalNode node, ExecutorLaunch launch)
      throws IOException {
    this.starter = Spawner.SYSTEM.newSingleThreadExecutor("start-container");
    this.containers = containers;
    this.node = node;
    this.launch = launch;
  }

  @Override
  public void launch(TaskKey key) {
    containers
        .assign(key)
        .ifPresentOrElse(
            variables -> starter.execute(() -> start(key, variables)),
            () -> containers.reportEnd(key, lost(CONTAINER_GONE)));
  }

  private static ContainerEnd lost(String why) {
    return new ContainerEnd(FailureKind.LOST, why);
  }

  private void start(TaskKey key, Map<String, String> variables) {
    ContainerId container = ContainerId.fromString(key.container());
    try {
      containers.onStarted(
          key,
          node.start(container, launch.context(key, LocalNode.HOST), variables),
          status -> launch.end(status, node.logs(container)));
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} of {} did not start", container, key.task(), e);
      containers.onEnded(
          key.container(), lost("its executor could not be started: " + e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean adopt(TaskKey key) {
    return false;
  }

  @Override
  public void move(TaskKey to) {
    containers.move(to);
  }

  @Override
  public void stop(TaskKey key) {
    containers.release(key.container());
  }

  @Override
  public void close() {
    starter.shutdownNow();
  }
}
