package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.rules.ExternalResource;

/**
 * A group of this JVM's in the machine's cgroups of devices, in which YARN's GPU plugin makes one
 * for each container. YARN has that for version 1 of cgroups only: where the machine has none, the
 * tests are not run. Afterwards nothing of it is left.
 */
final class DevicesCgroup extends ExternalResource {
  /** Where Linux has its cgroups. */
  static final Path ROOT = Path.of("/sys/fs/cgroup");

  private static final Path DEVICES = ROOT.resolve("devices");
  private static final String PREFIX = "tony-gpu-";

  /** By which YARN is told of it. */
  String name() {
    return PREFIX + ProcessHandle.current().pid();
  }

  @Override
  protected void before() throws IOException {
    NotRun.unless(
        Files.isWritable(DEVICES.resolve("devices.deny")),
        "YARN's GPU plugin needs the devices cgroup of version 1, writable at " + DEVICES);
    removeThoseOfDeadRuns();
    Files.createDirectory(DEVICES.resolve(name()));
  }

  /** A JVM that is killed leaves its own. */
  private static void removeThoseOfDeadRuns() throws IOException {
    for (Path group : groupsIn(DEVICES)) {
      String name = group.getFileName().toString();
      if (name.matches(PREFIX + "\\d{1,18}")
          && ProcessHandle.of(Long.parseLong(name.substring(PREFIX.length()))).isEmpty()) {
        remove(group);
      }
    }
  }

  private static List<Path> groupsIn(Path group) throws IOException {
    try (Stream<Path> files = Files.list(group)) {
      return files.filter(Files::isDirectory).toList();
    }
  }

  /** The kernel removes the files of a group with it. */
  private static void remove(Path group) throws IOException {
    for (Path inner : groupsIn(group)) {
      Files.delete(inner);
    }
    Files.delete(group);
  }

  @Override
  protected void after() {
    Path group = DEVICES.resolve(name());
    try {
      List<Path> left = groupsIn(group);
      remove(group);
      assertEquals("YARN has left groups of containers", List.of(), left);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
