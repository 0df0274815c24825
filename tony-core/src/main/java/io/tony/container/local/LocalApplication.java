package io.tony.container.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * What this machine knows of one application, each thing in a file of its own, whole or not there:
 * what YARN's ResourceManager would be told. Its ApplicationMaster writes there, and clients read.
 */
public final class LocalApplication {
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

  /** Makes it known; fails where it is already. */
  public void create() throws IOException {
    LocalFolders.create(folder.getParent());
    Files.createDirectory(folder);
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
    Path written = folder.resolve(item.file() + ".new");
    Files.writeString(written, text);
    Files.move(written, folder.resolve(item.file()), StandardCopyOption.ATOMIC_MOVE);
  }

  /** What can be known of an application. */
  public enum Item {
    /** The client's request: user, name and time. */
    REQUEST,
    /** The process of the ApplicationMaster. */
    PID,
    /** Host and port at which it serves. */
    ADDRESS,
    /** The URL of the job's page. */
    PAGE,
    /** What whoever looks at that page must know. */
    KEY,
    /** How the job has ended. */
    END;

    private String file() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** All processes of its containers, wherever they have gone: each has its container's name. */
  public List<ProcessHandle> processes() {
    return ProcessHandle.allProcesses().filter(one -> owns(one.pid())).toList();
  }

  /** Whether that is one of them. */
  public boolean owns(long pid) {
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
    List<ProcessHandle> left = processes();
    left.forEach(ProcessHandle::destroy);
    long deadline = System.nanoTime() + LocalContainer.GRACE.toNanos();
    while (!left.isEmpty()) {
      if (System.nanoTime() > deadline) {
        left.forEach(ProcessHandle::destroyForcibly);
      }
      Thread.sleep(10);
      left = processes();
    }
    LocalFolders.delete(folders.work(id.toString()));
  }

  /** Deletes what an ended one needs no more; all of it, where its history is gone. */
  public void sweep() {
    LocalFolders.delete(folders.work(id.toString()));
    if (!Files.exists(folders.history().resolve(id.toString()))) {
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
          .map(name -> new LocalApplication(folders, ApplicationId.fromString(name)))
          .toList();
    }
  }
}
