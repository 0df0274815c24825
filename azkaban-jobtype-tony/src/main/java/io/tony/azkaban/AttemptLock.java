package io.tony.azkaban;

import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Marks an attempt as alive for other processes: a lock on a file in the attempt's folder, which
 * the kernel releases when the executor's JVM dies. The file's name identifies the JVM that holds
 * the lock. A JVM never opens its own lock file again, because closing that second handle would
 * release the lock (POSIX).
 */
final class AttemptLock implements Closeable {

  private static final String PREFIX = "lock-";

  /**
   * Name of the lock file until it is locked. Only a folder with a locked file counts as an
   * attempt's folder.
   */
  private static final String UNLOCKED = "unlocked";

  private static final PathMatcher LOCK_FILE =
      FileSystems.getDefault().getPathMatcher("glob:" + PREFIX + "*");

  private final FileChannel channel;

  private AttemptLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Locks a folder that this process has just created. */
  static AttemptLock hold(Path folder) throws IOException {
    Path unlocked = folder.resolve(UNLOCKED);
    FileChannel channel =
        FileChannel.open(unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw new IOException(unlocked + " is locked by another process");
      }
      Files.move(unlocked, folder.resolve(PREFIX + jvm()), StandardCopyOption.ATOMIC_MOVE);
      return new AttemptLock(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Takes over the lock of a folder whose process is dead; empty for any other folder. */
  static Optional<AttemptLock> takeOver(Path folder) throws IOException {
    Optional<Path> file = file(folder);
    if (!file.isPresent() || file.get().getFileName().toString().equals(PREFIX + jvm())) {
      return Optional.empty();
    }
    FileChannel channel =
        FileChannel.open(file.get(), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      if (channel.tryLock() != null) {
        return Optional.of(new AttemptLock(channel));
      }
    } catch (OverlappingFileLockException e) {
      // Another thread of this JVM is already deleting the folder.
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return Optional.empty();
  }

  /** Returns the folder's lock file, if any; the lock file is the last file to be deleted. */
  static Optional<Path> file(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> LOCK_FILE.matches(file.getFileName())).findFirst();
    }
  }

  /**
   * Identifies this JVM by its process id and start time. The process id alone is not enough:
   * process ids are reused, above all in containers.
   */
  private static String jvm() throws IOException {
    return Paths.get("/proc/self").toRealPath().getFileName()
        + "-"
        + ManagementFactory.getRuntimeMXBean().getStartTime();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
