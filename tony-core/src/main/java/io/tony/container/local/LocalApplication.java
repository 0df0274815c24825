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
  private static final Duration END_LIMIT = Duration.ofSeconds(10);

  /** For how long the logs of one are kept that has no history. */
  private static final Duration WITHOUT_HISTORY = Duration.ofDays(1);

  private final LocalFolders folders;
  private final ApplicationId id;
  private final Path folder;

  public LocalApplication(LocalFolders folders, ApplicationId id) {
    this.folders = folders;
    this.id = id;
    this.folder = folders.applications().resolve(id.toString());
  }

  public ApplicationId id() {
    return id;
  }

  /** Makes it known, as this process's; fails where it is already. */
  public void create() throws IOException {
    LocalFolders.create(folder.getParent());
    Files.createDirectory(folder);
    ProcessHandle own = ProcessHandle.current();
    write(Item.CLIENT, own.pid() + " " + startOf(own));
  }

  private static String startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("");
  }

  /** The process that has submitted it; nothing where it is gone. */
  public Optional<ProcessHandle> client() throws IOException {
    String[] told = read(Item.CLIENT).orElse("0 ").split(" ", 2);
    return ProcessHandle.of(Long.parseLong(told[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> startOf(process).equals(told[1]));
  }

  public boolean isKnown() {
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
    Path written =
        folder.resolve(
            item.file() + "." + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    Files.writeString(written, text);
    if (item != Item.END) {
      Files.move(written, folder.resolve(item.file()), StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    try {
      Files.createLink(folder.resolve(item.file()), written);
    } catch (FileAlreadyExistsException e) {
      LOG.info("How {} has ended is known already, and not: {}", id, text);
    } finally {
      Files.delete(written);
    }
  }

  /** Whether something of it runs, or is to run; it may have told its end by then. */
  public boolean isAlive() throws IOException {
    Optional<String> master = read(Item.PID);
    return master.isPresent() ? owns(Long.parseLong(master.get())) : client().isPresent();
  }

  /** All processes of its containers, wherever they have gone: each has its container's name. */
  public List<ProcessHandle> processes() {
    return ProcessHandle.allProcesses().filter(one -> owns(one.pid())).toList();
  }

  /** Whether that is one of them. */
  private boolean owns(long pid) {
    String variable = "CONTAINER_ID=" + id.toString().replaceFirst("application", "container");
    try {
      String environment = Files.readString(Path.of("/proc/" + pid + "/environ"), ISO_8859_1);
      return ("\0" + environment).contains("\0" + variable + "_");
    } catch (IOException e) {
      return false; // another user's, or it has just ended
    }
  }

  /** Ends what runs of it, and deletes its working directories. Its logs stay. */
  public void clear() throws InterruptedException {
    long begin = System.nanoTime();
    List<ProcessHandle> left = others();
    left.forEach(ProcessHandle::destroy);
    while (!left.isEmpty()) {
      Duration past = Duration.ofNanos(System.nanoTime() - begin);
      if (past.compareTo(END_LIMIT) > 0) {
        LOG.warn(
            "These processes of {} do not end: {}",
            id,
            left.stream().map(ProcessHandle::pid).toList());
        return;
      }
      if (past.compareTo(LocalContainer.GRACE) > 0) {
        left.forEach(ProcessHandle::destroyForcibly);
      }
      Thread.sleep(10);
      left = others();
    }
    LocalFolders.delete(folders.work(id.toString()));
  }

  /** A command may be one of its own programs. */
  private List<ProcessHandle> others() {
    return processes().stream().filter(one -> !one.equals(ProcessHandle.current())).toList();
  }

  /**
   * Ends and deletes what is left of one whose client and ApplicationMaster are gone; all that is
   * known of it, where its history is gone.
   */
  public void sweep() throws IOException, InterruptedException {
    if (isAlive() || client().isPresent()) {
      return;
    }
    clear();
    Instant last = Files.getLastModifiedTime(folder).toInstant();
    if (!Files.exists(folders.history().resolve(id.toString()))
        && last.plus(WITHOUT_HISTORY).isBefore(Instant.now())) {
      LocalFolders.delete(folders.logs(id.toString()));
      LocalFolders.delete(folder);
    }
  }

  /** All that this machine knows. */
  public static List<LocalApplication> all(LocalFolders folders) throws IOException {
    if (!Files.isDirectory(folders.applications())) {
      return List.of();
    }
    try (Stream<Path> known = Files.list(folders.applications())) {
      return known
          .map(folder -> folder.getFileName().toString())
          .filter(LocalFolders::isApplication)
          .map(name -> new LocalApplication(folders, ApplicationId.fromString(name)))
          .toList();
    }
  }
}
