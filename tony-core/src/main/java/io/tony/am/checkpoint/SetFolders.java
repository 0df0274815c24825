package io.tony.am.checkpoint;

import io.tony.checkpoint.Manifest;
import io.tony.checkpoint.SetName;
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
final class SetFolders {
  private static final Logger LOG = LoggerFactory.getLogger(SetFolders.class);

  /** What an executor found to be another than its manifest says. */
  private static final String DAMAGED = ".damaged";

  /** That of ten thousand files with long names has a quarter of it. */
  private static final int MOST_BYTES = 8 << 20;

  private final FileSystem fs;
  private final Path folder;
  private final SetsInUse inUse;

  /** What was found, so that it is asked for once. Whoever asks at the same time asks as well. */
  private volatile List<SetName> sets; // null before it was asked for

  /** When that was, or before it. */
  private final long seen;

  private final Map<SetName, Tasks> tasks = new ConcurrentHashMap<>();
  private final Map<String, Optional<Manifest>> manifests = new ConcurrentHashMap<>();

  /**
   * What is in a set.
   *
   * @param kept folders of the tasks whose checkpoints are in it
   * @param written whether others may just be copied into it
   */
  private record Tasks(Set<String> kept, boolean written) {}

  /** {@code folder} need not be there. Sets that are gone by now are passed over. */
  SetFolders(FileSystem fs, Path folder, SetsInUse inUse) {
    this.fs = fs;
    this.folder = fs.makeQualified(folder);
    this.inUse = inUse;
    this.seen = inUse.now();
  }

  /** All of them, the newest first, whole or not. */
  List<SetName> sets() throws IOException {
    if (sets == null) {
      sets =
          folders(folder)
              .flatMap(name -> SetName.parse(name).stream())
              .sorted(Comparator.reverseOrder())
              .toList();
    }
    return sets.stream().filter(set -> !inUse.isGone(set, seen)).toList();
  }

  /** A start of this session is to go on from there; false where it is deleted meanwhile. */
  boolean use(int session, SetName set) {
    return inUse.use(session, set, seen);
  }

  /** The folders of the tasks whose checkpoints are in the set. */
  Set<String> tasks(SetName set) throws IOException {
    return in(set).kept();
  }

  boolean has(SetName set, TaskId task) throws IOException {
    return sets().contains(set) && tasks(set).contains(Manifest.folderOf(task));
  }

  /** Whether a task that has no checkpoint in it may just be writing one. */
  boolean isWritten(SetName set) throws IOException {
    return in(set).written();
  }

  private Tasks in(SetName set) throws IOException {
    Tasks known = tasks.get(set);
    if (known == null) {
      List<String> all = folders(new Path(folder, set.toString())).toList();
      Set<String> kept = new TreeSet<>();
      all.stream()
          .filter(name -> !name.startsWith(".") && !name.endsWith(DAMAGED))
          .forEach(kept::add);
      boolean written =
          all.stream()
              .flatMap(name -> Manifest.finished(name).stream())
              .anyMatch(task -> !kept.contains(task));
      known = new Tasks(kept, written);
      tasks.put(set, known);
    }
    return known;
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
  Optional<Manifest> manifest(SetName set, String task) throws IOException {
    Path file = new Path(taskFolder(folder, set, task), Manifest.FILE);
    Optional<Manifest> known = manifests.get(file.toString());
    if (known == null) {
      known = read(file).map(manifest -> manifest.with(List.of()));
      manifests.put(file.toString(), known);
    }
    return known;
  }

  /**
   * Of how many tasks the set is, if it is whole by what its own manifests say: it may have been
   * made by more or fewer tasks than there are. Else 0.
   */
  int wholeOf(SetName set) throws IOException {
    Set<String> there = tasks(set);
    if (there.isEmpty()) {
      return 0;
    }
    int all = manifest(set, there.iterator().next()).map(Manifest::tasks).orElse(0);
    return all <= there.size() ? all : 0;
  }

  private Optional<Manifest> read(Path file) throws IOException {
    byte[] bytes;
    try (FSDataInputStream in = fs.open(file)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
    if (bytes.length > MOST_BYTES) {
      LOG.warn("The checkpoint of {} is passed over: it has more than {} bytes", file, MOST_BYTES);
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
  String kept(SetName set, TaskId task, Manifest manifest) {
    return kept(folder, set, task, manifest.name());
  }

  /** The same of a name that is known to be one; of the folder that it is in, where it is empty. */
  static String kept(Path folder, SetName set, TaskId task, String name) {
    Path data = new Path(taskFolder(folder, set, Manifest.folderOf(task)), Manifest.DATA);
    return name.isEmpty() ? data.toString() : new Path(data, name).toString();
  }

  private static Path taskFolder(Path folder, SetName set, String task) {
    return new Path(new Path(folder, set.toString()), task);
  }

  void delete(SetName set) throws IOException {
    fs.delete(new Path(folder, set.toString()), true);
  }
}
