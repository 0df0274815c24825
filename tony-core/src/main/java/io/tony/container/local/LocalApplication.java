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
 * The state of one local application, which on a cluster YARN's ResourceManager would keep. Each
 * item is a file, written atomically by the application's client or its ApplicationMaster.
 */
public final class LocalApplication {
  private static final Logger LOG = LoggerFactory.getLogger(LocalApplication.class);

  /** Items of an application's state. */
  public enum Item {
    /** Process of the client that submitted the application. */
    CLIENT,
    /** The client's request: name, type, queue and time. */
    REQUEST,
    /** Key that viewers of the job's page must send. */
    KEY,
    /** Process id of the ApplicationMaster. */
    PID,
    /** Host and port at which the ApplicationMaster serves. */
    ADDRESS,
    /** URL of the job's page. */
    PAGE,
    /** Result of the job; the first value written is kept. */
    END;

    private String file() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How long processes may take to end after SIGKILL; one that waits for a disk or a driver may
   * take longer.
   */
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  /** How long the logs of an application without a history are kept. */
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
   * Registers the application, with this process as its client.
   *
   * @throws IOException if the application already exists
   */
  public void create() throws IOException {
    LocalClusterFolders.create(folder.getParent());
    LocalApplication staged = new LocalApplication(folders, id, folder.resolveSibling(id + ".new"));
    Files.createDirectory(staged.folder);
    ProcessHandle own = ProcessHandle.current();
    staged.write(Item.CLIENT, own.pid() + " " + startOf(own) + " " + namespace());
    Files.move(staged.folder, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Returns the PID namespace of this process: processes of another container on this host are not
   * visible.
   */
  private static String namespace() throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
  }

  /**
   * Returns true if the application's processes run in another PID namespace, where they are not
   * visible.
   */
  public boolean isForeign() throws IOException {
    return !read(Item.CLIENT).orElse(namespace()).endsWith(namespace());
  }

  private static String startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("");
  }

  /** Returns the process that submitted the application; empty if it has ended. */
  public Optional<ProcessHandle> client() throws IOException {
    String[] fields = read(Item.CLIENT).orElse("0 unknown").split(" ", 3);
    return ProcessHandle.of(Long.parseLong(fields[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> startOf(process).equals(fields[1]));
  }

  public boolean exists() {
    return Files.isDirectory(folder);
  }

  /** Returns one item; empty if it was not written yet. */
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
   * Returns true while a process of the application runs, or its client is about to start one; the
   * result may already be written.
   */
  public boolean isAlive() throws IOException {
    if (isForeign()) {
      return read(Item.END).isEmpty(); // its processes are not visible here
    }
    Optional<String> master = read(Item.PID);
    return master.isPresent() ? owns(Long.parseLong(master.get())) : client().isPresent();
  }

  private boolean owns(long pid) {
    return !containerOf(pid).isEmpty();
  }

  /**
   * Returns the id of this application's container to which a process belongs; empty if to none.
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
      return ""; // another user's process, or it has just ended
    }
  }

  /** Returns the containers in which a process runs. */
  public List<ContainerId> containers() {
    return ProcessHandle.allProcesses()
        .map(process -> containerOf(process.pid()))
        .filter(container -> !container.isEmpty())
        .distinct()
        .map(ContainerId::fromString)
        .toList();
  }

  /**
   * Ends all processes of the application and deletes its working directories. Keeps its logs.
   * Waits for the processes, up to {@link #KILL_TIMEOUT}.
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
   * Returns all processes of the application's containers, found by the container's id in their
   * environment, except the current one: a program of the job may have started this command.
   */
  private List<ProcessHandle> otherProcesses() {
    return ProcessHandle.allProcesses()
        .filter(process -> owns(process.pid()) && !process.equals(ProcessHandle.current()))
        .toList();
  }

  /**
   * Ends and deletes the remains of an application whose client and ApplicationMaster have ended.
   * Also deletes the application's state and logs if its history has been deleted, {@link
   * #ORPHAN_LOG_RETENTION} after the state's last change.
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

  /** Returns all applications of this machine. */
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
