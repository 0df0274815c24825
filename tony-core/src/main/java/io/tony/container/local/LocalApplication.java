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
 * What this machine knows of one application, each thing in a file of its own, whole or not there:
 * what YARN's ResourceManager would be told. Its client and its ApplicationMaster write there.
 */
public final class LocalApplication {
  private static final Logger LOG = LoggerFactory.getLogger(LocalApplication.class);

  /** What can be known of an application. */
  public enum Item {
    /** The process of the client that has submitted it. */
    CLIENT,
    /** What the client has asked for: name, type, queue and time. */
    REQUEST,
    /** What whoever looks at the job's page must know. */
    KEY,
    /** The process of the ApplicationMaster. */
    PID,
    /** Host and port at which it serves. */
    ADDRESS,
    /** The URL of the job's page. */
    PAGE,
    /** How the job has ended; whoever says it first is right. */
    END;

    private String file() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** For a process to end after SIGKILL; one that waits for a disk or a driver may not. */
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  /** For how long the logs of one are kept that has no history. */
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

  /** Makes it known, as this process's; fails where it is already. */
  public void create() throws IOException {
    LocalClusterFolders.create(folder.getParent());
    LocalApplication staged = new LocalApplication(folders, id, folder.resolveSibling(id + ".new"));
    Files.createDirectory(staged.folder);
    ProcessHandle own = ProcessHandle.current();
    staged.write(Item.CLIENT, own.pid() + " " + startOf(own) + " " + namespace());
    Files.move(staged.folder, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Which processes this one can see: another container of this host has others. */
  private static String namespace() throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
  }

  /** Whether its processes run where they cannot be seen from here. */
  public boolean isForeign() throws IOException {
    return !read(Item.CLIENT).orElse(namespace()).endsWith(namespace());
  }

  private static String startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("");
  }

  /** The process that has submitted it; nothing where it is gone. */
  public Optional<ProcessHandle> client() throws IOException {
    String[] fields = read(Item.CLIENT).orElse("0 unknown").split(" ", 3);
    return ProcessHandle.of(Long.parseLong(fields[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> startOf(process).equals(fields[1]));
  }

  public boolean exists() {
    return Files.isDirectory(folder);
  }

  /** One thing that is known of it; nothing where it is not, or not yet. */
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

  /** Whether something of it runs, or is to run; it may have told its end by then. */
  public boolean isAlive() throws IOException {
    if (isForeign()) {
      return read(Item.END).isEmpty(); // nobody here can know better
    }
    Optional<String> master = read(Item.PID);
    return master.isPresent() ? owns(Long.parseLong(master.get())) : client().isPresent();
  }

  private boolean owns(long pid) {
    return !containerOf(pid).isEmpty();
  }

  /** In which of its containers that is; empty where in none. */
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
      return ""; // another user's, or it has just ended
    }
  }

  /** Those of its containers in which a process runs. */
  public List<ContainerId> containers() {
    return ProcessHandle.allProcesses()
        .map(process -> containerOf(process.pid()))
        .filter(container -> !container.isEmpty())
        .distinct()
        .map(ContainerId::fromString)
        .toList();
  }

  /** Ends what runs of it, and deletes its working directories. Its logs stay. */
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
   * All processes of its containers, wherever they have gone: each has its container's name. But
   * for this one: a command may be run by one of the job's programs.
   */
  private List<ProcessHandle> otherProcesses() {
    return ProcessHandle.allProcesses()
        .filter(process -> owns(process.pid()) && !process.equals(ProcessHandle.current()))
        .toList();
  }

  /**
   * Ends and deletes what is left of one whose client and ApplicationMaster are gone; all that is
   * known of it, where its history is gone.
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

  /** All that this machine knows. */
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
