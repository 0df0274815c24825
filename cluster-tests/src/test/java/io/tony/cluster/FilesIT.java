package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Test;

/** What programs find beside them: files, archives and Python environments, local and on HDFS. */
public class FilesIT extends ClusterTest {
  /** Keeps the files' permissions, as the zip command does. */
  private static final String ZIP =
      """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], 'w') as z:
          z.write('venv/bin/python', 'bin/python')
      """;

  /** Makes an archive of the folder {@code venv} with a Python that says which one it is. */
  private Path venv(String name) throws Exception {
    Path python = write("venv/bin/python", "#!/bin/sh\necho \"python of " + name + " runs $1\"\n");
    assertEquals(true, python.toFile().setExecutable(true));
    String format = name.endsWith(".zip") ? "zip" : "gztar";
    String base = name.replaceAll("\\.(zip|tar\\.gz)$", "");
    ProcessBuilder pack =
        format.equals("zip")
            ? new ProcessBuilder("python3", "-c", ZIP, base + ".zip")
            : new ProcessBuilder("tar", "czf", base + ".tar.gz", "-C", "venv", "bin");
    assertEquals(0, pack.directory(folder.getRoot()).inheritIO().start().waitFor());
    return folder.getRoot().toPath().resolve(name);
  }

  private static String onHdfs(Path file) throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      org.apache.hadoop.fs.Path target =
          new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), "shipped/" + file.getFileName());
      fs.copyFromLocalFile(new org.apache.hadoop.fs.Path(file.toUri()), target);
      return fs.makeQualified(target).toString();
    }
  }

  private void runsWith(String name, String source) throws Exception {
    write("src/train.py", "");
    try (TonyCommand tony =
        submit(
            "-executes", "train.py",
            "-src_dir", "src",
            "-python_venv", source,
            "-python_binary_path", "bin/python",
            "-conf", "tony.worker.instances=1")) {
      tony.assertExit(0);
      assertEquals(
          "python of " + name + " runs train.py\n", log(tony.application(), "worker:0", "stdout"));
    }
  }

  @Test
  public void shouldRunThePythonOfALocalArchive() throws Exception {
    for (String name : new String[] {"local-env.zip", "local-env.tar.gz"}) {
      venv(name);
      runsWith(name, name);
    }
  }

  @Test
  public void shouldRunThePythonOfAnArchiveOnHdfs() throws Exception {
    for (String name : new String[] {"shared-env.zip", "shared-env.tar.gz"}) {
      runsWith(name, onHdfs(venv(name)));
    }
  }

  @Test
  public void shouldShipFilesAndArchivesToAllOrToOneRole() throws Exception {
    write("data/part.txt", "unpacked ");
    assertEquals(
        0,
        new ProcessBuilder("tar", "czf", "data.tar.gz", "-C", "data", "part.txt")
            .directory(folder.getRoot())
            .inheritIO()
            .start()
            .waitFor());
    String shared = onHdfs(write("shared.txt", "shared "));
    String archive = onHdfs(folder.getRoot().toPath().resolve("data.tar.gz"));
    write("mine.txt", "mine");
    try (TonyCommand tony =
        submit(
            "-executes", "cat shared.txt data/part.txt mine.txt; ls there",
            "-conf", "tony.containers.resources=" + shared + "," + archive + "::data#archive",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.resources=mine.txt,data.tar.gz::there#archive",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m",
            "-conf",
                "tony.evaluator.command=cat shared.txt data/part.txt; test ! -e mine.txt && test ! -e"
                    + " there")) {
      tony.assertExit(0);
      String application = tony.application();
      assertEquals("shared unpacked minepart.txt\n", log(application, "worker:0", "stdout"));
      assertEquals("shared unpacked ", log(application, "evaluator:0", "stdout"));
      assertEquals(2, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
    }
  }

  @Test
  public void shouldNotTryAgainWhatNoNodeCanUnpack() throws Exception {
    byte[] whole = Files.readAllBytes(venv("cut-off.zip"));
    Path archive = write("cut-off.zip", "");
    Files.write(archive, Arrays.copyOf(whole, whole.length / 2));
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.containers.resources=" + onHdfs(archive) + "::data#archive")) {
      tony.assertExit(2);
      List<String> lines = tony.lines();
      String end = lines.get(lines.size() - 1);
      assertTrue(
          end,
          end.matches(
              ".*\\(INVALID\\): worker:[01] on 127.1.0.[12]: its node could not fetch or unpack the"
                  + " task's files: java.io.IOException: Truncated ZIP file, as it was before\\..*"
                  + " hdfs://.*/cut-off.zip, log .*"));
      List<JobEvent> again = events(tony.application(), JobEvent.Type.TASK_RESTARTED);
      assertEquals(
          again.toString(),
          again.size(),
          again.stream().map(event -> event.task()).distinct().count());
      assertEquals(
          "INVALID", events(tony.application(), JobEvent.Type.JOB_FINISHED).get(0).detail("kind"));
    }
  }

  // ---- What one job uploads and the next one finds ----

  /** What a job ships that is too large to be uploaded for each job; other bytes each time. */
  private Path large(String name) throws Exception {
    byte[] bytes = new byte[1 << 20];
    new Random().nextBytes(bytes);
    return Files.write(write(name, ""), bytes);
  }

  private static void forgetUploads() throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      fs.delete(cache(fs), true);
    }
  }

  private static org.apache.hadoop.fs.Path cache(FileSystem fs) {
    return new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), ".tony/cache");
  }

  /** The files that are kept for later jobs, with their times; a part of one would fail this. */
  private static Map<org.apache.hadoop.fs.Path, Long> kept() throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      Map<org.apache.hadoop.fs.Path, Long> kept = new TreeMap<>();
      for (FileStatus entry : fs.listStatus(cache(fs))) {
        assertEquals("rwx------", entry.getPermission().toString());
        for (FileStatus file : fs.listStatus(entry.getPath())) {
          assertEquals("rw-------", file.getPermission().toString());
          kept.put(file.getPath(), file.getModificationTime());
        }
      }
      return kept;
    }
  }

  private static List<String> namesKept() throws Exception {
    return kept().keySet().stream().map(org.apache.hadoop.fs.Path::getName).sorted().toList();
  }

  /** Starts a job with a source folder and a file, whose checksums its task prints. */
  private TonyCommand submitLarge() throws Exception {
    return submit(
        "-executes", "cksum weights.bin data.bin",
        "-src_dir", "src",
        "-conf", "tony.containers.resources=data.bin",
        "-conf", "tony.worker.instances=1");
  }

  private String checksums() throws Exception {
    Files.copy(
        folder.getRoot().toPath().resolve("src/weights.bin"),
        folder.getRoot().toPath().resolve("weights.bin"),
        StandardCopyOption.REPLACE_EXISTING);
    Process cksum =
        new ProcessBuilder("cksum", "weights.bin", "data.bin").directory(folder.getRoot()).start();
    return new String(cksum.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private void assertRunsWithWhatIsHere(TonyCommand tony) throws Exception {
    tony.assertExit(0);
    assertEquals(checksums(), log(tony.application(), "worker:0", "stdout"));
  }

  @Test
  public void shouldUploadOnlyWhatNoEarlierJobHasShipped() throws Exception {
    forgetUploads();
    large("src/weights.bin");
    large("data.bin");
    try (TonyCommand first = submitLarge()) {
      assertRunsWithWhatIsHere(first);
      first.await("uploaded 3 files (");
    }
    Map<org.apache.hadoop.fs.Path, Long> kept = kept();
    assertEquals(List.of("data.bin", "src.tar.gz", "tony-core.jar"), namesKept());

    try (TonyCommand second = submitLarge()) {
      assertRunsWithWhatIsHere(second);
      second.await("reused 3 files (");
    }
    assertEquals("YARN would see it if they were written again", kept, kept());

    large("data.bin");
    try (TonyCommand changed = submitLarge()) {
      assertRunsWithWhatIsHere(changed);
      changed.await("uploaded 1 file (1.0 MiB), reused 2 (");
    }
    assertEquals(List.of("data.bin", "data.bin", "src.tar.gz", "tony-core.jar"), namesKept());
    assertTrue(kept().entrySet().containsAll(kept.entrySet()));
  }

  @Test
  public void shouldRunTwoJobsThatShipTheSameAtOnce() throws Exception {
    forgetUploads();
    large("src/weights.bin");
    large("data.bin");
    List<TonyCommand> jobs = new ArrayList<>();
    try {
      jobs.add(submitLarge());
      jobs.add(submitLarge());
      for (TonyCommand job : jobs) {
        assertRunsWithWhatIsHere(job);
      }
    } finally {
      jobs.forEach(TonyCommand::close);
    }
    assertEquals(List.of("data.bin", "src.tar.gz", "tony-core.jar"), namesKept());
  }

  @Test
  public void shouldDeleteUploadsThatNoJobHasUsedForLong() throws Exception {
    forgetUploads();
    large("data.bin");
    try (TonyCommand user =
        submit(
            "-executes", "sleep 5151",
            "-conf", "tony.containers.resources=data.bin",
            "-conf", "tony.worker.instances=1")) {
      user.await("1/1 tasks running");
      unusedFor(Duration.ofDays(31), "data.bin");
      runsWithoutFiles();
      assertEquals("a job may need it yet", List.of("data.bin", "tony-core.jar"), namesKept());
      user.terminate();
      user.assertExit(143);
    }

    runsWithoutFiles();

    assertEquals(List.of("tony-core.jar"), namesKept());
  }

  private static void unusedFor(Duration time, String name) throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      for (org.apache.hadoop.fs.Path file : kept().keySet()) {
        if (file.getName().equals(name)) {
          fs.setTimes(file.getParent(), System.currentTimeMillis() - time.toMillis(), -1);
        }
      }
    }
  }

  private void runsWithoutFiles() throws Exception {
    try (TonyCommand tony = submit("-executes", "true", "-conf", "tony.worker.instances=1")) {
      tony.assertExit(0);
      tony.await("reused 1 file (");
    }
  }

  @Test
  public void shouldKeepNothingWhereThatIsWanted() throws Exception {
    forgetUploads();
    large("data.bin");
    try (TonyCommand tony =
        submit(
            "-executes", "cksum data.bin",
            "-conf", "tony.containers.resources=data.bin",
            "-conf", "tony.cache.keep=0",
            "-conf", "tony.worker.instances=1")) {
      tony.assertExit(0);
      tony.await("uploaded 2 files (");
    }
    try (FileSystem fs = cluster().fileSystem()) {
      assertEquals(false, fs.exists(cache(fs)));
    }
  }
}
