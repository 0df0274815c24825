package io.tony.mini;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A live process that a container of one cluster started, directly or indirectly. It is recognized
 * by its working directory in a folder of the cluster's NodeManagers, or by such a folder in its
 * initial environment. Works with Linux's /proc, for processes of this user; on other systems, none
 * is ever found.
 */
record ContainerProcess(long pid, String container, String command) {

  private static final Path PROC = Path.of("/proc");
  private static final int MAX_COMMAND_CHARS = 120;

  static List<ContainerProcess> below(Path nodes) throws IOException {
    if (Files.notExists(PROC)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(PROC)) {
      return entries
          .filter(entry -> entry.getFileName().toString().matches("\\d+"))
          .filter(entry -> !entry.endsWith(Long.toString(ProcessHandle.current().pid())))
          .flatMap(entry -> inspect(entry, nodes).stream())
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public String toString() {
    return "process " + pid + " of " + container + ": " + command;
  }

  private static Optional<ContainerProcess> inspect(Path entry, Path nodes) {
    try {
      List<String> environment = entries(entry.resolve("environ"));
      Path workingDirectory = Files.readSymbolicLink(entry.resolve("cwd"));
      boolean ours =
          workingDirectory.startsWith(nodes)
              || environment.stream().anyMatch(v -> v.contains(nodes + "/"));
      if (!ours) {
        return Optional.empty();
      }
      String container =
          environment.stream()
              .filter(v -> v.startsWith("CONTAINER_ID="))
              .map(v -> v.substring(v.indexOf('=') + 1))
              .findFirst()
              .orElse("a container, working in " + workingDirectory);
      String command = String.join(" ", entries(entry.resolve("cmdline")));
      Files.readSymbolicLink(entry.resolve("exe")); // fails for a process that has just ended
      return Optional.of(
          new ContainerProcess(
              Long.parseLong(entry.getFileName().toString()),
              container,
              command.substring(0, Math.min(command.length(), MAX_COMMAND_CHARS))));
    } catch (IOException e) {
      // The process has ended in the meantime, or belongs to another user.
      return Optional.empty();
    }
  }

  /** Splits a file of /proc at its NUL characters. */
  private static List<String> entries(Path file) throws IOException {
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    return Arrays.stream(text.split("\0")).filter(entry -> !entry.isEmpty()).toList();
  }
}
