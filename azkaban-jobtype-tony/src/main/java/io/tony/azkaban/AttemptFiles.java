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
 * The files through which this plugin and TonY's client exchange data in one attempt of a job. They
 * lie in a folder in Java's temporary folder that only Azkaban's user may enter, and the client
 * runs in this folder. The execution's own folder is not used, because it may belong to another
 * user ({@code execute.as.user}). {@link #close} deletes the folder.
 */
final class AttemptFiles implements AutoCloseable {

  private static final String PREFIX = ".tony-";

  /**
   * Maximum number of characters of the job's name in the name of the attempt's folder. A file name
   * can have at most 255 bytes.
   */
  private static final int MAX_NAME_CHARS = 100;

  private final Path folder;
  private final Optional<AttemptLock> lock;

  private AttemptFiles(Path folder, Optional<AttemptLock> lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Creates the attempt's folder, under a hidden name that is unique. Also deletes the folders that
   * killed Azkaban executors left behind.
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
   * Locks the attempt's folder, so that other processes see that the attempt is alive. Empty if the
   * file system does not support locks; then nobody deletes the folder if the executor is killed.
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

  /**
   * The file to which the client writes the job's output properties for later jobs of the flow, as
   * one flat JSON object.
   */
  Path output() {
    return folder.resolve("output.json");
  }

  /**
   * The file with the delegation tokens of the job's user; exists only if Azkaban's security
   * manager fetches tokens for this job.
   */
  Path tokens() {
    return folder.resolve("tokens");
  }

  void writeJob(Map<String, String> properties) throws IOException {
    write(job(), properties);
  }

  /**
   * Writes these properties into a second job file in the attempt's folder, for a client that ends
   * an earlier attempt's application on another cluster. Replaces the second job file of an earlier
   * call. Returns the file's path.
   */
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
   * Replaces every non-ASCII character in the file {@link #output} by its JSON escape, because
   * Azkaban decodes the file with the executor JVM's default charset, which depends on the locale.
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

  /**
   * Deletes the folder and its content. The lock file is deleted last. Links are deleted, not
   * followed.
   */
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
