package io.tony.container.local;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A running container on this machine: a process that leads a session (setsid) of its own. */
public final class LocalContainer {
  /** Time between SIGTERM and SIGKILL; longer than an executor needs to end its program. */
  static final Duration GRACE = Duration.ofSeconds(2);

  private final Process process;
  private final CompletableFuture<Integer> exitStatus = new CompletableFuture<>();

  private LocalContainer(Process process) {
    this.process = process;
  }

  /**
   * Starts a container.
   *
   * @param folder working directory, deleted when the container ends
   * @throws IOException if the process, or the thread that waits for its end, cannot be started
   */
  static LocalContainer start(ProcessBuilder builder, Path folder) throws IOException {
    LocalContainer container = new LocalContainer(Spawner.SYSTEM.startProcess(builder));
    boolean watched = false;
    try {
      Spawner.SYSTEM.startThread("container", () -> container.awaitEnd(folder));
      watched = true;
    } finally {
      if (!watched) {
        container.process.destroyForcibly();
      }
    }
    return container;
  }

  private void awaitEnd(Path folder) {
    try {
      int status = process.waitFor();
      LocalClusterFolders.delete(folder);
      exitStatus.complete(status);
    } catch (InterruptedException | RuntimeException e) {
      exitStatus.completeExceptionally(e);
    }
  }

  public long pid() {
    return process.pid();
  }

  /**
   * Returns the exit status in a shell's form (128 + signal number for a signal). Completes after
   * the container's end and the deletion of its working directory.
   */
  public CompletableFuture<Integer> exitStatus() {
    return exitStatus;
  }

  /** Sends SIGTERM and, after {@link #GRACE}, SIGKILL to the container. Returns at once. */
  public void stop() {
    process.destroy();
    try {
      Spawner.SYSTEM.startThread("stop-container", this::killAfterGrace);
    } catch (IOException e) {
      // No thread can send SIGKILL later, so send it now.
      process.destroyForcibly();
    }
  }

  private void killAfterGrace() {
    try {
      exitStatus.get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
