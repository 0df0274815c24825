package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.checkpoint.CheckpointFile;
import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.model.TaskId;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What a job has kept in its folder for checkpoints, as the cluster's file system has it. */
record KeptCheckpoints(FileSystem fs, Path folder) {

  /** Those of the job whose programs were told this folder. */
  static KeptCheckpoints in(FileSystem fs, String checkpointDir) {
    return new KeptCheckpoints(fs, new Path(checkpointDir, Manifest.FOLDER));
  }

  private static List<String> names(FileStatus[] entries) {
    return Arrays.stream(entries).map(entry -> entry.getPath().getName()).sorted().toList();
  }

  /** The folders of all sets, the newest last. */
  List<String> sets() throws IOException {
    return names(fs.listStatus(folder));
  }

  /** The same by their numbers; fails for a folder that is none. */
  List<Long> numbers() throws IOException {
    return sets().stream().map(set -> CheckpointName.parse(set).orElseThrow().number()).toList();
  }

  /** The job's end does not wait for the last deletion, but its ApplicationMaster does. */
  void requireNoMoreThan(int sets, TonyCommand ended) throws IOException {
    ClusterTest.awaitMastersEnd(ended.application());
    assertTrue(sets() + " are left by:\n" + ended.text(), sets().size() <= sets);
  }

  /** These sets are left, each with all that it names of each of these tasks, and nothing else. */
  void assertHold(List<Long> numbers, String... tasks) throws IOException {
    assertEquals(numbers, numbers());
    List<String> folders =
        Arrays.stream(tasks).map(task -> Manifest.folderOf(TaskId.parse(task))).sorted().toList();
    for (String set : sets()) {
      assertEquals(set, folders, names(fs.listStatus(new Path(folder, set))));
      for (String task : tasks) {
        assertWhole(set, TaskId.parse(task), tasks.length);
      }
    }
  }

  private Path of(String set, TaskId task) {
    return new Path(new Path(folder, set), Manifest.folderOf(task));
  }

  private void assertWhole(String set, TaskId task, int tasks) throws IOException {
    Manifest manifest = Manifest.read(read(new Path(of(set, task), Manifest.FILE)));
    assertEquals(task, manifest.task());
    assertEquals(tasks, manifest.taskCount());
    assertEquals(CheckpointName.parse(set).orElseThrow().number(), manifest.number());
    assertEquals(1, manifest.files().size());
    CheckpointFile file = manifest.files().get(0);
    String content = read(data(set, task, file.path()));
    assertEquals(Long.toString(manifest.number()), content);
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    assertEquals(new CheckpointFile(manifest.name(), bytes.length, (int) crc.getValue()), file);
  }

  private Path data(String set, TaskId task, String file) {
    return new Path(new Path(of(set, task), Manifest.DATA), file);
  }

  private String read(Path file) throws IOException {
    try (InputStream in = fs.open(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Puts another text into a file of the newest set, as long as the one that was there. */
  void damageTheNewest(String task, String file, String content) throws IOException {
    List<String> sets = sets();
    Path path = data(sets.get(sets.size() - 1), TaskId.parse(task), file);
    assertEquals(read(path).length(), content.length());
    try (OutputStream out = fs.create(path, true)) {
      out.write(content.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** The text of a file that an event or an output property names by its URI. */
  String at(String uri) throws IOException {
    return read(new Path(uri));
  }
}
