package io.tony.container.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A container that runs: a process of this machine, which leads a session of its own. */
public final class LocalContainer {
  /** Between SIGTERM and SIGKILL; an executor ends its program within less. */
  static final Duration GRACE = Duration.ofSeconds(2);

  private final Process process;
  private final CompletableFuture<Integer> ended;

  LocalContainer(Process process, Path folder) {
    this.process = process;
    this.ended =
        process
            .onExit()
            .thenApply(
                end -> {
                  LocalFolders.delete(folder);
                  return end.exitValue();
                });
  }

  public long pid() {
    return process.pid();
  }

  /** Its exit status, as a shell has it; its working directory is gone by then. */
  public CompletableFuture<Integer> ended() {
    return ended;
  }

  /** SIGTERM, and SIGKILL for what does not end. Returns at once. */
  public void stop() {
    process.destroy();
    CompletableFuture.delayedExecutor(GRACE.toMillis(), TimeUnit.MILLISECONDS)
        .execute(process::destroyForcibly);
  }
}
