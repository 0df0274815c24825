package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.model.JobEvent;
import java.nio.file.Path;
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
}
