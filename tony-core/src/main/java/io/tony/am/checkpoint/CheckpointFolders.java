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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sets of checkpoints in the cluster's file system, as they are when they are first asked for.
 * Whatever else lies in their folder is passed over. For use by several threads.
 */
final class CheckpointFolders {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointFolders.class);

  /** What an executor found to be another than its manifest says. */
  private static final String DAMAGED_SUFFIX = ".damaged";

  /** That of ten thousand files with long names has a quarter of it. */
  private static final int MAX_MANIFEST_BYTES = 8 << 20;

  private final FileSystem fs;
  private final Path folder;
  private final CheckpointsInUse inUse;

  /** What was found, so that it is asked for once. Whoever asks at the same time asks as well. */
  private volatile List<CheckpointName> sets; // null before it was asked for

  /** When that was, or before it. */
  private final long version;

  private final Map<CheckpointName, SetContents> contents = new ConcurrentHashMap<>();
  private final Map<String, Optional<Manifest>> manifests = new ConcurrentHashMap<>();

  /**
   * What is in a set.
   *
   * @param savedTasks folders of the tasks whose checkpoints are in it
   * @param beingWritten whether others may just be copied into it
   */
  private record SetContents(Set<String> savedTasks, boolean beingWritten) {}

  /** {@code folder} need not be there. Sets that are gone by now are passed over. */
  CheckpointFolders(FileSystem fs, Path folder, CheckpointsInUse inUse) {
    this.fs = fs;
    this.folder = fs.makeQualified(folder);
    this.inUse = inUse;
    this.version = inUse.version();
  }

  /** All of them, the newest first, whole or not. */
  List<CheckpointName> sets() throws IOException {
    if (sets == null) {
      sets =
          folders(folder)
              .flatMap(name -> CheckpointName.parse(name).stream())
              .sorted(Comparator.reverseOrder())
              .toList();
    }
    return sets.stream().filter(set -> !inUse.isDeleted(set, version)).toList();
  }

  /** A start of this session is to go on from there; false where it is deleted meanwhile. */
  boolean tryUse(int session, CheckpointName set) {
    return inUse.tryUse(session, set, version);
  }

  /** The folders of the tasks whose checkpoints are in the set. */
  Set<String> tasks(CheckpointName set) throws IOException {
    return contents(set).savedTasks();
  }

  boolean contains(CheckpointName set, TaskId task) throws IOException {
    return sets().contains(set) && tasks(set).contains(Manifest.folderOf(task));
  }

  /** Whether a task that has no checkpoint in it may just be writing one. */
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

  /** Without its files. Nothing where there is none, or none that can be read. */
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
   * Of how many tasks the set is, if it is whole by what its own manifests say: it may have been
   * made by more or fewer tasks than there are. Else 0.
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
      new Path(file.getParent(), manifest.name()); // it must be one
      return Optional.of(manifest);
    } catch (IOException | RuntimeException e) {
      LOG.warn("The checkpoint of {} is passed over: {}", file, e.getMessage());
      return Optional.empty();
    }
  }

  /** URI of the file or folder that the task's program named. */
  String dataUri(CheckpointName set, TaskId task, Manifest manifest) {
    return dataUri(folder, set, task, manifest.name());
  }

  /** The same of a name that is known to be one; of the folder that it is in, where it is empty. */
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
