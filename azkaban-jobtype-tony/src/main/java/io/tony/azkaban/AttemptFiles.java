package io.tony.azkaban;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files through which the plugin and TonY's client exchange data in one attempt of one job.
 * They lie in a folder that only Azkaban's user may enter; the client runs in this folder. The
 * folder is not inside the execution's folder, which may belong to another user ({@code
 * execute.as.user}). {@link #close} deletes the folder.
 */
final class AttemptFiles implements AutoCloseable {

  private static final String PREFIX = ".tony-";

  /**
   * Maximum number of characters of the job's name in the folder's name: a file name has at most
   * 255 bytes.
   */
  private static final int MAX_NAME_CHARS = 100;

  private final Path folder;
  private final Optional<AttemptLock> lock;

  private AttemptFiles(Path folder, Optional<AttemptLock> lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Creates the folder, under a hidden name that no other attempt has, and deletes the folders of
   * Azkaban executors that were killed.
   */
  static AttemptFiles create(String jobId, String attempt) throws IOException {
    Path temporary = Paths.get(System.getProperty("java.io.tmpdir"));
    DeadAttempts.delete(temporary, PREFIX + "*");
    String job = jobId.substring(0, Math.min(jobId.length(), MAX_NAME_CHARS));
    String name = (job + "-" + attempt).replaceAll("[^A-Za-z0-9_.-]", "_");
    Path folder =
        Files.createTempDirectory(
            temporary,
            PREFIX + name + "-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return new AttemptFiles(folder, lock(folder));
  }

  /**
   * Locks the folder; empty on a file system without locks, where the folder of a killed executor
   * is never cleaned up.
   */
  private static Optional<AttemptLock> lock(Path folder) {
    try {
      return Optional.of(AttemptLock.hold(folder));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  Path folder() {
    return folder;
  }

  Path job() {
    return folder.resolve("job.properties");
  }

  Path status() {
    return folder.resolve("status.properties");
  }

  /** The file of properties that the client publishes for later jobs: one flat JSON object. */
  Path output() {
    return folder.resolve("output.json");
  }

  /** The file of delegation tokens of the job's user; exists only if Azkaban fetches tokens. */
  Path tokens() {
    return folder.resolve("tokens");
  }

  void writeJob(Map<String, String> properties) throws IOException {
    write(job(), properties);
  }

  /** Writes another job file beside the attempt's own job file and returns its path. */
  Path writeOther(Map<String, String> properties) throws IOException {
    Path other = folder.resolve("other-job.properties");
    Files.deleteIfExists(other);
    write(other, properties);
    return other;
  }

  private static void write(Path path, Map<String, String> properties) throws IOException {
    Files.createFile(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Properties file = new Properties();
    properties.forEach(file::setProperty);
    try (Writer writer = Files.newBufferedWriter(path, StandardCharsets.UTF_8)) {
      file.store(writer, null);
    }
  }

  /**
   * Replaces every non-ASCII character of the client's output file by its JSON escape. Azkaban
   * decodes the file with the platform's charset, which depends on the executor's locale.
   */
  void escapeOutput() throws IOException {
    if (!Files.exists(output())) {
      return;
    }
    StringBuilder ascii = new StringBuilder();
    try (BufferedReader reader = Files.newBufferedReader(output(), StandardCharsets.UTF_8)) {
      for (int c = reader.read(); c >= 0; c = reader.read()) {
        if (c < 0x80) {
          ascii.append((char) c);
        } else {
          ascii.append(String.format("\\u%04x", c));
        }
      }
    }
    Files.write(
        output(),
        ascii.toString().getBytes(StandardCharsets.US_ASCII),
        StandardOpenOption.TRUNCATE_EXISTING);
  }

  @Override
  public void close() throws IOException {
    try {
      deleteFolder(folder);
    } finally {
      if (lock.isPresent()) {
        lock.get().close();
      }
    }
  }

  /** Deletes the folder and everything in it, the lock file last. Does not follow links. */
  static void deleteFolder(Path folder) throws IOException {
    Optional<Path> lock = AttemptLock.file(folder);
    Comparator<Path> order =
        Comparator.comparing((Path file) -> file.equals(folder) || lock.equals(Optional.of(file)))
            .thenComparing(Comparator.reverseOrder());
    List<Path> files;
    try (Stream<Path> tree = Files.walk(folder)) {
      files = tree.sorted(order).collect(Collectors.toList());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
