package io.tony.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.rules.ExternalResource;

/**
 * A group of processes in the machine's cgroups that may have no more processes and threads. Where
 * the machine has no such cgroups of version 1, the tests are not run. Afterwards it is gone.
 */
final class PidsCgroup extends ExternalResource {
  private static final Path PIDS = DevicesCgroup.ROOT.resolve("pids");

  private final Path group = PIDS.resolve("tony-pids-" + ProcessHandle.current().pid());

  @Override
  protected void before() throws IOException {
    NotRun.unless(
        Files.isWritable(PIDS.resolve("cgroup.procs")),
        "a limit of processes needs the pids cgroup of version 1, writable at " + PIDS);
    Files.createDirectories(group); // there may be one of a dead run
  }

  /** From now on the process, and what it starts, can have so many processes and threads. */
  void limit(long pid, int most) throws IOException {
    Files.writeString(group.resolve("pids.max"), Integer.toString(most));
    Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
  }

  @Override
  protected void after() {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    try {
      while (!Files.readString(group.resolve("cgroup.procs")).isEmpty()
          && System.nanoTime() < deadline) {
        Thread.sleep(20); // the last of them end
      }
      Files.delete(group);
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
