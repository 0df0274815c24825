package io.tony.client.launch;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Creates the class archive with which later clients start faster. Runs in a separate process with
 * low priority, takes some seconds, and is needed once for each installation and version of Java.
 * If anything fails, clients start without a class archive.
 */
final class ArchiveMaker {
  /**
   * Age after which class archives are deleted, even if they are used. The next client then records
   * a new class list.
   */
  private static final Duration MAX_AGE = Duration.ofDays(90);

  /** Age after which incomplete files are deleted, which killed clients and makers leave behind. */
  private static final Duration MAX_UNFINISHED_AGE = Duration.ofDays(1);

  private static final String PREFIX = "client-";
  private static final String SUFFIX = ".jsa";
  private static final long POLL_INTERVAL_MS = 100;

  private final Path archive;
  private final Path classList;

  private ArchiveMaker(Path archive, Path classList) {
    this.archive = archive;
    this.classList = classList;
  }

  /**
   * Waits until the client's process has ended, and creates the class archive.
   *
   * @param args path of the class archive, path of the client's class list, and process id of the
   *     client
   * @throws IOException also if the client does not end within a minute
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    // The class list is complete only after the client's JVM has exited.
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (ProcessHandle.of(Long.parseLong(args[2])).isPresent()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("the client does not end");
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
    new ArchiveMaker(Path.of(args[0]), Path.of(args[1])).run();
  }

  private void run() throws IOException, InterruptedException {
    Path lock = ClassArchive.beside(archive, ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock exclusiveLock = channel.tryLock()) {
      if (exclusiveLock != null && !Files.exists(archive)) {
        make();
        sweep();
      }
    } finally {
      Files.deleteIfExists(classList);
    }
  }

  private void make() throws IOException, InterruptedException {
    Path part = ClassArchive.beside(archive, ".part-" + ProcessHandle.current().pid());
    try {
      String fingerprint = ClassArchive.fingerprint();
      if (runJava(
              "-Xmx256m",
              // only G1 writes Java objects to an archive; all collectors can read them
              "-XX:+UseG1GC",
              "-Xshare:dump",
              "-XX:SharedClassListFile=" + classList,
              "-XX:SharedArchiveFile=" + part)
          && runJava("-Xshare:on", "-XX:SharedArchiveFile=" + part, "-version")) {
        try (FileChannel written = FileChannel.open(part)) {
          // The data must be on disk before the rename: after a crash of the machine, a truncated
          // archive would crash the JVM.
          written.force(true);
        }
        Files.move(part, archive, StandardCopyOption.ATOMIC_MOVE);
        ClassArchive.writeFingerprint(archive, fingerprint);
      } else {
        Files.writeString(ClassArchive.beside(archive, ClassArchive.FAILED_SUFFIX), fingerprint);
      }
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static boolean isArchiveFile(String name) {
    return name.startsWith(PREFIX) && name.contains(SUFFIX);
  }

  private static boolean runJava(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(ClassArchive.javaCommand());
    command.addAll(List.of(arguments));
    return Spawner.SYSTEM.startProcess(ClassArchive.silentProcess(command)).waitFor() == 0;
  }

  /**
   * Deletes the files of all class archives in this folder that are older than their maximum age.
   */
  private void sweep() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(archive.toAbsolutePath().getParent())) {
      files = all.filter(file -> isArchiveFile(file.getFileName().toString())).toList();
    }
    for (Path file : files) {
      String name = file.getFileName().toString();
      boolean finished = name.endsWith(SUFFIX) || name.endsWith(".of") || name.endsWith(".lock");
      Instant oldest = Instant.now().minus(finished ? MAX_AGE : MAX_UNFINISHED_AGE);
      if (Files.getLastModifiedTime(file).toInstant().isBefore(oldest)) {
        Files.deleteIfExists(file);
      }
    }
  }
}
