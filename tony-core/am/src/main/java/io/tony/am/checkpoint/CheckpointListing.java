package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.model.TaskId;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the checkpoint sets in the cluster's file system. Reads each folder and each manifest when
 * it is first needed, and caches the answer. Ignores files and folders that are not checkpoints.
 * Thread-safe.
 */
final class CheckpointListing {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointListing.class);

  /**
   * Suffix that an executor appends to a checkpoint's folder if the folder's files do not match its
   * manifest.
   */
  private static final String DAMAGED_SUFFIX = ".damaged";

  /**
   * Maximum size of a manifest in bytes. A manifest of ten thousand files with long names takes a
   * quarter of this.
   */
  private static final int MAX_MANIFEST_BYTES = 8 << 20;

  private final FileSystem fs;
  private final Path folder;
  private final CheckpointsInUse inUse;

  /** Cached listing of the sets. Threads that need it at the same time may each list the folder. */
  private volatile @Nullable List<CheckpointName> sets; // null until first listed

  /**
   * Value of {@link CheckpointsInUse#version} before the listing: the listing reflects deletions
   * that had ended by then.
   */
  private final long version;

  private final Map<CheckpointName, SetContents> contents = new ConcurrentHashMap<>();
  private final Map<String, Optional<Manifest>> manifests = new ConcurrentHashMap<>();

  /**
   * Contents of a checkpoint set.
   *
   * @param savedTasks names of the tasks' folders in the set whose checkpoints are complete
   * @param beingWritten whether a task may be copying a checkpoint into the set
   */
  private record SetContents(Set<String> savedTasks, boolean beingWritten) {}

  /**
   * Creates the listing without reading anything. {@code folder} is the parent of all sets and need
   * not exist. Sets that are deleted according to {@code inUse} are left out.
   */
  CheckpointListing(FileSystem fs, Path folder, CheckpointsInUse inUse) {
    this.fs = fs;
    this.folder = fs.makeQualified(folder);
    this.inUse = inUse;
    this.version = inUse.version();
  }

  /** Returns all checkpoint sets, complete or not, newest first. */
  List<CheckpointName> sets() throws IOException {
    List<CheckpointName> listed = sets;
    if (listed == null) {
      listed =
          folders(folder)
              .flatMap(name -> CheckpointName.parse(name).stream())
              .sorted(Comparator.reverseOrder())
              .toList();
      sets = listed;
    }
    return listed.stream().filter(set -> !inUse.isDeleted(set, version)).toList();
  }

  /**
   * Marks the set as used by a start in this session of the gang. Returns false if the set has been
   * deleted, or marked for deletion, since it was listed.
   */
  boolean tryUse(int session, CheckpointName set) {
    return inUse.tryUse(session, set, version);
  }

  /** Returns the names of the tasks' folders in the set whose checkpoints are complete. */
  Set<String> tasks(CheckpointName set) throws IOException {
    return contents(set).savedTasks();
  }

  boolean contains(CheckpointName set, TaskId task) throws IOException {
    return sets().contains(set) && tasks(set).contains(Manifest.folderOf(task));
  }

  /** Returns whether a task may be copying a checkpoint into the set. */
  boolean isBeingWritten(CheckpointName set) throws IOException {
    return contents(set).beingWritten();
  }

  private SetContents contents(CheckpointName set) throws IOException {
    SetContents cached = contents.get(set);
    if (cached == null) {
      List<String> all = folders(new Path(folder, set.toString())).toList();
      Set<String> savedTasks = new TreeSet<>();
      all.stream()
          .filter(name -> !name.startsWith(".") && !name.endsWith(DAMAGED_SUFFIX))
          .forEach(savedTasks::add);
      boolean beingWritten =
          all.stream()
              .flatMap(name -> Manifest.finalName(name).stream())
              .anyMatch(task -> !savedTasks.contains(task));
      cached = new SetContents(savedTasks, beingWritten);
      contents.put(set, cached);
    }
    return cached;
  }

  private Stream<String> folders(Path parent) throws IOException {
    try {
      return Stream.of(fs.listStatus(parent))
          .filter(FileStatus::isDirectory)
          .map(status -> status.getPath().getName());
    } catch (FileNotFoundException e) {
      return Stream.empty();
    }
  }

  /**
   * Returns the manifest of the checkpoint in the set's folder {@code task}, without its list of
   * files; empty if the manifest is missing or unreadable.
   */
  Optional<Manifest> manifest(CheckpointName set, String task) throws IOException {
    Path file = new Path(taskFolder(folder, set, task), Manifest.FILE);
    Optional<Manifest> cached = manifests.get(file.toString());
    if (cached == null) {
      cached = read(file).map(manifest -> manifest.withFiles(List.of()));
      manifests.put(file.toString(), cached);
    }
    return cached;
  }

  /**
   * Returns the number of tasks with which the set was made, as its manifests state, if at least as
   * many tasks have a complete checkpoint in it; else 0. The number may differ from this job's
   * number of tasks.
   */
  int completeTaskCount(CheckpointName set) throws IOException {
    Set<String> savedTasks = tasks(set);
    if (savedTasks.isEmpty()) {
      return 0;
    }
    int all = manifest(set, savedTasks.iterator().next()).map(Manifest::taskCount).orElse(0);
    return all <= savedTasks.size() ? all : 0;
  }

  private Optional<Manifest> read(Path file) throws IOException {
    byte[] bytes;
    try (FSDataInputStream in = fs.open(file)) {
      bytes = in.readNBytes(MAX_MANIFEST_BYTES + 1);
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
    if (bytes.length > MAX_MANIFEST_BYTES) {
      LOG.warn(
          "The checkpoint of {} is passed over: it has more than {} bytes",
          file,
          MAX_MANIFEST_BYTES);
      return Optional.empty();
    }
    try {
      Manifest manifest = Manifest.read(new String(bytes, StandardCharsets.UTF_8));
      // Throws an exception if the name is not a valid path.
      new Path(file.getParent(), manifest.name());
      return Optional.of(manifest);
    } catch (IOException | RuntimeException e) {
      LOG.warn("The checkpoint of {} is passed over: {}", file, e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Returns the URI of the checkpoint's copy in the set: of the file or folder that the user's
   * program named.
   */
  String dataUri(CheckpointName set, TaskId task, Manifest manifest) {
    return dataUri(folder, set, task, manifest.name());
  }

  /**
   * Like {@link #dataUri(CheckpointName, TaskId, Manifest)}, for a checkpoint with this name, which
   * must be valid. If the name is empty, returns the URI of the folder that contains the copied
   * files.
   */
  static String dataUri(Path folder, CheckpointName set, TaskId task, String name) {
    Path data = new Path(taskFolder(folder, set, Manifest.folderOf(task)), Manifest.DATA);
    return name.isEmpty() ? data.toString() : new Path(data, name).toString();
  }

  private static Path taskFolder(Path folder, CheckpointName set, String task) {
    return new Path(new Path(folder, set.toString()), task);
  }

  void delete(CheckpointName set) throws IOException {
    fs.delete(new Path(folder, set.toString()), true);
  }
}
