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
 * Marks an attempt as alive, with a lock on a file in the attempt's folder. The kernel releases the
 * lock when the executor's JVM ends, so that other processes can detect a dead attempt. The file's
 * name identifies the JVM that holds the lock: a JVM must not open its own lock file again, because
 * closing the second channel would release the lock (POSIX).
 */
final class AttemptLock implements Closeable {

  private static final String PREFIX = "lock-";

  /**
   * Name of the lock file before it is locked. It differs from the final name, so that no other
   * process takes the file for the lock of a dead attempt.
   */
  private static final String UNLOCKED = "unlocked";

  private static final PathMatcher LOCK_FILE =
      FileSystems.getDefault().getPathMatcher("glob:" + PREFIX + "*");

  private final FileChannel channel;

  private AttemptLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Creates and locks the lock file of a folder that this process has just created. */
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

  /**
   * Locks the folder of an attempt whose JVM has ended. Empty if the folder has no lock file or if
   * another JVM, or this one, holds the lock.
   */
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
      // Another thread of this JVM holds the lock because it is already deleting the folder, so
      // this thread does not take the folder over.
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return Optional.empty();
  }

  /** Returns the folder's lock file; empty if there is none. */
  static Optional<Path> file(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> LOCK_FILE.matches(file.getFileName())).findFirst();
    }
  }

  /**
   * Identifies this JVM by its process id and start time, because process ids are reused,
   * especially in containers.
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
