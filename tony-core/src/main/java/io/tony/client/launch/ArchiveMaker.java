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
 * Makes the archive for the clients to come, in a process of its own with a low priority. It takes
 * some seconds, once for each installation and Java. Whatever goes wrong, there is none.
 */
final class ArchiveMaker {
  /** Of an installation that is gone; one that is not makes its own again. */
  private static final Duration MAX_AGE = Duration.ofDays(90);

  /** What clients and makers leave that were killed. */
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

  /** Takes the archive's place, a client's list of classes, and the client's process. */
  public static void main(String[] args) throws IOException, InterruptedException {
    // Its JVM completes the list at its very end.
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
              "-XX:+UseG1GC", // the only one that puts objects into an archive; all can read them
              "-Xshare:dump",
              "-XX:SharedClassListFile=" + classList,
              "-XX:SharedArchiveFile=" + part)
          && runJava("-Xshare:on", "-XX:SharedArchiveFile=" + part, "-version")) {
        try (FileChannel written = FileChannel.open(part)) {
          written.force(true); // a JVM does not survive half an archive
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

  /** Of what such programs have left, what nobody has used for long. */
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
