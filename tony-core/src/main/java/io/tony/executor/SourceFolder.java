package io.tony.executor;

import io.tony.executor.program.ProgramFile;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The user's source folder, which is unpacked into the working directory once per container. */
final class SourceFolder {
  private static final int MAX_OUTPUT_BYTES = 1024; // bytes of what tar says at last

  private final Path workingDirectory;
  private final Spawner spawner;
  private volatile boolean unpacked;

  SourceFolder(Path workingDirectory, Spawner spawner) {
    this.spawner = spawner;
    this.workingDirectory = workingDirectory;
  }

  /** True once the folder is there, or known not to exist. */
  boolean isUnpacked() {
    return unpacked;
  }

  /**
   * Unpacks it on a thread of its own, which then calls {@code done}: with null, or a failure.
   * Where there is no thread to be had, that is the failure.
   */
  void unpack(Consumer<IOException> done) {
    try {
      spawner.startThread("unpack", () -> done.accept(unpackOnce()));
    } catch (IOException e) {
      done.accept(e);
    }
  }

  /** The same on this thread; returns what is wrong, and the empty string where nothing is. */
  String unpackNow() {
    IOException failure = unpackOnce();
    return failure == null ? "" : failure.getMessage();
  }

  private IOException unpackOnce() {
    if (unpacked) {
      return null;
    }
    try {
      Path archive = workingDirectory.resolve(ExecutorSettings.SOURCE_ARCHIVE);
      if (Files.exists(archive)) {
        untar(archive);
      }
      unpacked = true;
      return null;
    } catch (IOException e) {
      return e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new IOException(
          "interrupted while " + ExecutorSettings.SOURCE_ARCHIVE + " is unpacked");
    }
  }

  /** With the node's own tar, as YARN unpacks archives. */
  private void untar(Path archive) throws IOException, InterruptedException {
    Path output = Files.createDirectories(workingDirectory.resolve(".tony")).resolve("tar");
    int code =
        spawner
            .startProcess(
                new ProcessBuilder("tar", "-xzf", archive.toString())
                    .directory(workingDirectory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(
                        output.toFile())) // a line for each file, where the disk is full
            .waitFor();
    if (code != 0) {
      String tail =
          new String(ProgramFile.readTail(output, 0, MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
      throw new IOException(
          ExecutorSettings.SOURCE_ARCHIVE + ": tar ended with " + code + ": " + tail.strip());
    }
  }
}
