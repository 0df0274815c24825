package io.tony.container.local;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A container that runs: a process of this machine, which leads a session of its own. */
public final class LocalContainer {
  /** Between SIGTERM and SIGKILL; an executor ends its program within less. */
  static final Duration GRACE = Duration.ofSeconds(2);

  private final Process process;
  private final CompletableFuture<Integer> exitStatus = new CompletableFuture<>();

  private LocalContainer(Process process) {
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param folder is deleted at its end
   * @throws IOException when it cannot be started, or nobody would learn of its end
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

  /** Its exit status, as a shell has it; its working directory is gone by then. */
  public CompletableFuture<Integer> exitStatus() {
    return exitStatus;
  }

  /** SIGTERM, and SIGKILL for what does not end. Returns at once. */
  public void stop() {
    process.destroy();
    try {
      Spawner.SYSTEM.startThread("stop-container", this::killAfterGrace);
    } catch (IOException e) {
      process.destroyForcibly(); // else nobody would later
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
