package io.tony.azkaban;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Notes that an attempt of a job leaves for later attempts of the same job in the same execution.
 * An attempt writes a note if it ends without knowing whether its application has ended. The notes
 * lie in a folder to which only Azkaban's user has access. The execution's folder would not be
 * safe: job code can write to it, and a note defines the environment in which a client runs for
 * another cluster.
 */
final class AttemptNotes {

  /** Maximum age of a note. Azkaban retries a job much earlier than this, or never. */
  private static final long MAX_AGE_MILLIS = TimeUnit.DAYS.toMillis(7);

  private static final String APPLICATION = "application.id";
  private static final String CLUSTER = "cluster";
  private static final String ENV_PREFIX = "env.";

  /**
   * A note about one application whose outcome is unknown.
   *
   * @see ClientSetup#environment
   */
  static final class Note {
    private final String applicationId;
    private final String cluster;
    private final Map<String, String> environment;

    /**
     * Creates a note about an application.
     *
     * @param cluster the cluster's name; empty if the cluster has none
     * @param environment the client's environment, which holds the paths of the cluster's
     *     configuration and of Hadoop's jars
     */
    Note(String applicationId, String cluster, Map<String, String> environment) {
      this.applicationId = applicationId;
      this.cluster = cluster;
      this.environment = new HashMap<>(environment);
    }

    String applicationId() {
      return applicationId;
    }

    String cluster() {
      return cluster;
    }

    Map<String, String> environment() {
      return environment;
    }
  }

  private static final String SUFFIX = ".properties";

  private final Path folder;
  private final String filePrefix;

  private AttemptNotes(Path folder, String filePrefix) {
    this.folder = folder;
    this.filePrefix = filePrefix;
  }

  /**
   * Returns access to the notes about one job.
   *
   * @param job the job's name, unique among all jobs of all executions
   */
  static AttemptNotes of(String job) throws IOException {
    String name = "azkaban-tony-notes-" + OwnFolder.user();
    Path folder = Paths.get(System.getProperty("java.io.tmpdir"), name);
    String id = UUID.nameUUIDFromBytes(job.getBytes(StandardCharsets.UTF_8)).toString();
    return new AttemptNotes(folder, id + "-");
  }

  /**
   * Returns the notes that earlier attempts of this job left. Also deletes expired notes of all
   * jobs.
   */
  List<Note> read() throws IOException {
    List<Note> notes = new ArrayList<>();
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return notes;
    }
    OwnFolder.verify(folder);
    deleteOld();
    for (Path file : files(filePrefix + "*" + SUFFIX)) {
      read(file).ifPresent(notes::add);
    }
    return notes;
  }

  private List<Path> files(String glob) throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, glob)) {
      found.forEach(files::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return files;
  }

  private static Optional<Note> read(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    Map<String, String> environment = new HashMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(ENV_PREFIX)) {
        environment.put(key.substring(ENV_PREFIX.length()), properties.getProperty(key));
      }
    }
    String application = properties.getProperty(APPLICATION);
    return application == null
        // The note is incomplete, because Azkaban's process ended while it wrote the note.
        ? Optional.empty()
        : Optional.of(new Note(application, properties.getProperty(CLUSTER, ""), environment));
  }

  /**
   * Deletes expired notes of all jobs. Failures are ignored, because attempts of other jobs may
   * delete the same notes concurrently.
   */
  private void deleteOld() {
    long oldest = System.currentTimeMillis() - MAX_AGE_MILLIS;
    try {
      for (Path file : files("*" + SUFFIX)) {
        if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis() < oldest) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      // The next attempt of any job will try again to delete the expired notes.
    }
  }

  /**
   * Deletes a note that is no longer needed, because its application has ended or is handled by
   * another attempt.
   */
  void delete(Note note) throws IOException {
    Files.deleteIfExists(file(note));
  }

  private Path file(Note note) {
    return folder.resolve(filePrefix + note.applicationId() + SUFFIX);
  }

  void save(Note note) throws IOException {
    OwnFolder.make(folder);
    Properties properties = new Properties();
    properties.setProperty(APPLICATION, note.applicationId());
    properties.setProperty(CLUSTER, note.cluster());
    note.environment().forEach((name, value) -> properties.setProperty(ENV_PREFIX + name, value));
    Path file = file(note);
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      properties.store(writer, null);
    }
  }
}
