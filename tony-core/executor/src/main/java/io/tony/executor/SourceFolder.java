package io.tony.executor;

import io.tony.executor.program.ProgramFile;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The user's source folder: unpacks it into the container's working directory, once per container.
 */
final class SourceFolder {
  // maximum number of bytes from the end of tar's output that an error message contains
  private static final int MAX_OUTPUT_BYTES = 1024;

  /** Receives the result of {@link #unpack}. */
  interface Listener {
    /**
     * Called when unpacking has ended.
     *
     * @param failure why unpacking failed; null on success
     */
    void onUnpacked(@Nullable IOException failure);
  }

  private final Path workingDirectory;
  private final Spawner spawner;
  private volatile boolean unpacked;

  SourceFolder(Path workingDirectory, Spawner spawner) {
    this.spawner = spawner;
    this.workingDirectory = workingDirectory;
  }

  /**
   * Returns true if unpacking has succeeded, or was found unnecessary because the job has no source
   * folder.
   */
  boolean isUnpacked() {
    return unpacked;
  }

  /**
   * Unpacks the folder, unless that is done already, on a new thread, which then calls {@code
   * listener}. If no thread can be started, calls {@code listener} with that failure on the calling
   * thread.
   */
  void unpack(Listener listener) {
    try {
      spawner.startThread("unpack", () -> listener.onUnpacked(unpackOnce()));
    } catch (IOException e) {
      listener.onUnpacked(e);
    }
  }

  /**
   * Unpacks the folder, unless that is done already, on the calling thread. Returns why this
   * failed; empty on success.
   */
  String unpackNow() {
    IOException failure = unpackOnce();
    return failure == null
        ? ""
        : Objects.requireNonNullElse(failure.getMessage(), failure.toString());
  }

  /** Returns why unpacking failed; null on success. */
  private @Nullable IOException unpackOnce() {
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

  /**
   * Unpacks the archive by the node's {@code tar}, the program with which YARN unpacks archives,
   * too.
   */
  private void untar(Path archive) throws IOException, InterruptedException {
    // The output goes to a file: nobody reads while tar runs, so tar would block on a full pipe.
    Path output = Files.createDirectories(workingDirectory.resolve(".tony")).resolve("tar");
    int code =
        spawner
            .startProcess(
                new ProcessBuilder("tar", "-xzf", archive.toString())
                    .directory(workingDirectory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile()))
            .waitFor();
    if (code != 0) {
      String tail =
          new String(ProgramFile.readTail(output, 0, MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
      throw new IOException(
          ExecutorSettings.SOURCE_ARCHIVE + ": tar ended with " + code + ": " + tail.strip());
    }
  }
}
