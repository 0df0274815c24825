package io.tony.container.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of one application that runs on this machine without YARN. Each item of the state is a
 * file, which the application's client or ApplicationMaster writes atomically.
 */
public final class LocalApplication {
  private static final Logger LOG = LoggerFactory.getLogger(LocalApplication.class);

  /** Items of an application's state. */
  public enum Item {
    /**
     * Process of the client that submitted the application: process id, start time and PID
     * namespace.
     */
    CLIENT,
    /** What the client requested: name, type, queue and time. */
    REQUEST,
    /** Secret key that requests for the job's page must contain. */
    KEY,
    /** Process id of the ApplicationMaster. */
    PID,
    /** Host and port at which the ApplicationMaster accepts calls. */
    ADDRESS,
    /** URL of the job's page. */
    PAGE,
    /** Result of the job. Only the first written value is kept. */
    END;

    private String file() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How long to wait for the end of killed processes. A process that waits for a disk or a driver
   * may not react to SIGKILL in time.
   */
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  /** How long an application's logs are kept after the application's history has been deleted. */
  private static final Duration ORPHAN_LOG_RETENTION = Duration.ofDays(1);

  private final LocalClusterFolders folders;
  private final ApplicationId id;
  private final Path folder;

  public LocalApplication(LocalClusterFolders folders, ApplicationId id) {
    this(folders, id, folders.applications().resolve(id.toString()));
  }

  private LocalApplication(LocalClusterFolders folders, ApplicationId id, Path folder) {
    this.folders = folders;
    this.id = id;
    this.folder = folder;
  }

  public ApplicationId id() {
    return id;
  }

  /**
   * Creates the application's state, with this process as the application's client.
   *
   * @throws IOException if the application already exists
   */
  public void create() throws IOException {
    LocalClusterFolders.create(folders.applications());
    LocalApplication staged = new LocalApplication(folders, id, folder.resolveSibling(id + ".new"));
    Files.createDirectory(staged.folder);
    ProcessHandle own = ProcessHandle.current();
    staged.write(Item.CLIENT, own.pid() + " " + startOf(own) + " " + namespace());
    Files.move(staged.folder, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Returns the id of this process's PID namespace. Processes of another namespace (such as another
   * Docker container on this host) are not visible.
   */
  private static String namespace() throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
  }

  /**
   * Returns true if the application was submitted in another PID namespace, so that its processes
   * are not visible here.
   */
  public boolean isForeign() throws IOException {
    return !read(Item.CLIENT).orElse(namespace()).endsWith(namespace());
  }

  private static String startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("");
  }

  /** Returns the process that submitted the application; empty if the process has ended. */
  public Optional<ProcessHandle> client() throws IOException {
    String[] fields = read(Item.CLIENT).orElse("0 unknown").split(" ", 3);
    return ProcessHandle.of(Long.parseLong(fields[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> startOf(process).equals(fields[1]));
  }

  public boolean exists() {
    return Files.isDirectory(folder);
  }

  /** Returns the value of one item; empty if the item has not been written. */
  public Optional<String> read(Item item) throws IOException {
    try {
      return Optional.of(Files.readString(folder.resolve(item.file())));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  public void write(Item item, String text) throws IOException {
    Path temporary =
        folder.resolve(
            item.file() + "." + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    Files.writeString(temporary, text);
    if (item != Item.END) {
      Files.move(temporary, folder.resolve(item.file()), StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    try {
      Files.createLink(folder.resolve(item.file()), temporary);
    } catch (FileAlreadyExistsException e) {
      LOG.info("How {} has ended is known already, and not: {}", id, text);
    } finally {
      Files.delete(temporary);
    }
  }

  /**
   * Returns true while the ApplicationMaster runs or, before its start, the client that submitted
   * the application. If their processes are not visible here, returns true until the job's result
   * is written.
   */
  public boolean isAlive() throws IOException {
    if (isForeign()) {
      return read(Item.END).isEmpty(); // processes are not visible
    }
    Optional<String> master = read(Item.PID);
    return master.isPresent() ? owns(Long.parseLong(master.get())) : client().isPresent();
  }

  private boolean owns(long pid) {
    return !containerOf(pid).isEmpty();
  }

  /**
   * Returns the id of the container of this application in which a process runs; empty if the
   * process does not belong to this application.
   */
  private String containerOf(long pid) {
    String prefix = "CONTAINER_ID=" + id.toString().replaceFirst("application", "container") + "_";
    try {
      String environment = Files.readString(Path.of("/proc/" + pid + "/environ"), ISO_8859_1);
      return Stream.of(environment.split("\0", -1))
          .filter(variable -> variable.startsWith(prefix))
          .map(variable -> variable.substring(variable.indexOf('=') + 1))
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      return ""; // the process belongs to another user or has just ended
    }
  }

  /** Returns the containers of this application in which at least one process runs. */
  public List<ContainerId> containers() {
    return ProcessHandle.allProcesses()
        .map(process -> containerOf(process.pid()))
        .filter(container -> !container.isEmpty())
        .distinct()
        .map(ContainerId::fromString)
        .toList();
  }

  /**
   * Ends all processes of the application, then deletes its working directories. Keeps its logs.
   * Waits up to {@link #KILL_TIMEOUT}; if processes remain, logs a warning and deletes nothing.
   */
  public void terminate() throws InterruptedException {
    long startNanos = System.nanoTime();
    List<ProcessHandle> remaining = otherProcesses();
    remaining.forEach(ProcessHandle::destroy);
    while (!remaining.isEmpty()) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
      if (elapsed.compareTo(KILL_TIMEOUT) > 0) {
        LOG.warn(
            "These processes of {} do not end: {}",
            id,
            remaining.stream().map(ProcessHandle::pid).toList());
        return;
      }
      if (elapsed.compareTo(LocalContainer.GRACE) > 0) {
        remaining.forEach(ProcessHandle::destroyForcibly);
      }
      Thread.sleep(10);
      remaining = otherProcesses();
    }
    LocalClusterFolders.delete(folders.work(id.toString()));
  }

  /**
   * Returns all processes whose environment contains the id of one of the application's containers.
   * Excludes the current process, because a program of the job may have started it.
   */
  private List<ProcessHandle> otherProcesses() {
    return ProcessHandle.allProcesses()
        .filter(process -> owns(process.pid()) && !process.equals(ProcessHandle.current()))
        .toList();
  }

  /**
   * Cleans up after an application whose client and ApplicationMaster have ended: ends remaining
   * processes and deletes the working directories. A later call deletes the application's state and
   * logs, if its history has been deleted and its state has not changed for {@link
   * #ORPHAN_LOG_RETENTION}.
   */
  public void sweep() throws IOException, InterruptedException {
    if (isForeign()) {
      return;
    }
    if (Files.exists(folders.work(id.toString()))) {
      if (!isAlive() && client().isEmpty()) {
        terminate();
      }
      return;
    }
    Instant lastModified = Files.getLastModifiedTime(folder).toInstant();
    if (!Files.exists(folders.history().resolve(id.toString()))
        && lastModified.plus(ORPHAN_LOG_RETENTION).isBefore(Instant.now())) {
      LocalClusterFolders.delete(folders.logs(id.toString()));
      LocalClusterFolders.delete(folder);
    }
  }

  /** Returns all applications with a state on this machine, ended ones included. */
  public static List<LocalApplication> all(LocalClusterFolders folders) throws IOException {
    if (!Files.isDirectory(folders.applications())) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folders.applications())) {
      return entries
          .map(folder -> folder.getFileName().toString())
          .filter(LocalClusterFolders::isApplication)
          .map(name -> new LocalApplication(folders, ApplicationId.fromString(name)))
          .toList();
    }
  }
}
