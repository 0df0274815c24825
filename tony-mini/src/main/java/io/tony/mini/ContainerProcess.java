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
 * A live process of a container of one cluster, including processes that the container's processes
 * started. A process is recognized by its working directory, which is in a folder of the cluster's
 * NodeManagers, or by the path of such a folder in its initial environment. Only processes of this
 * user are found, in Linux's /proc; on other systems none are found.
 *
 * @param pid the process id
 * @param container the container's id or, if it is unknown, a text with the working directory
 * @param command the first 120 characters of the command line
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
      Files.readSymbolicLink(entry.resolve("exe")); // throws if the process has just ended
      return Optional.of(
          new ContainerProcess(
              Long.parseLong(entry.getFileName().toString()),
              container,
              command.substring(0, Math.min(command.length(), MAX_COMMAND_CHARS))));
    } catch (IOException e) {
      // The process has ended, or belongs to another user.
      return Optional.empty();
    }
  }

  /** Returns the non-empty parts between the NUL characters of a file in /proc. */
  private static List<String> entries(Path file) throws IOException {
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    return Arrays.stream(text.split("\0")).filter(entry -> !entry.isEmpty()).toList();
  }
}
