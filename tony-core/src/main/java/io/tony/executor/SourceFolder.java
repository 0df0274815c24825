package io.tony.executor;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileUtil;

/** The user's source folder, which is unpacked into the working directory once per container. */
final class SourceFolder {
  private final Path workingDirectory;
  private volatile boolean unpacked;

  SourceFolder(Path workingDirectory) {
    this.workingDirectory = workingDirectory;
  }

  /** True once the folder is there, or known not to exist. */
  boolean unpacked() {
    return unpacked;
  }

  /** Unpacks it on a thread of its own, which then calls {@code done}: with null, or a failure. */
  void unpack(Consumer<IOException> done) {
    Thread thread = new Thread(() -> done.accept(failure()), "unpack");
    thread.setDaemon(true);
    thread.start();
  }

  private IOException failure() {
    try {
      File archive = workingDirectory.resolve(ExecutorSettings.SOURCE_ARCHIVE).toFile();
      if (archive.exists()) {
        FileUtil.unTar(archive, workingDirectory.toFile());
      }
      unpacked = true;
      return null;
    } catch (IOException e) {
      return e;
    }
  }
}
