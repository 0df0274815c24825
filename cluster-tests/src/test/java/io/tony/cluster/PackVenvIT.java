package io.tony.cluster;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Test;

/**
 * {@code bin/pack-venv}: what it packs is the same each time, and runs wherever YARN unpacks it.
 */
public class PackVenvIT extends ClusterTest {
  private static final Path PACK_VENV = Path.of("..", "bin", "pack-venv").toAbsolutePath();
  private static final long LIMIT_SECONDS = 300;

  /** A package as pip installs it, with a command; nothing has to be downloaded or built for it. */
  private static final Map<String, String> PACKAGE =
      new TreeMap<>(
          Map.of(
              "greeting/__init__.py",
              """
              def hello():
                  return 'hello from the environment'


              def main():
                  print(hello())
              """,
              "greeting-1.0.dist-info/METADATA",
              "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
              "greeting-1.0.dist-info/WHEEL",
              "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
              "greeting-1.0.dist-info/entry_points.txt",
              "[console_scripts]\ngreet = greeting:main\n",
              "greeting-1.0.dist-info/RECORD",
              """
              greeting/__init__.py,,
              greeting/weights.bin,,
              greeting-1.0.dist-info/METADATA,,
              greeting-1.0.dist-info/WHEEL,,
              greeting-1.0.dist-info/entry_points.txt,,
              greeting-1.0.dist-info/RECORD,,
              """));

  private void writePackage(Path wheel) throws IOException {
    try (OutputStream out = Files.newOutputStream(wheel);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> file : PACKAGE.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
      // Nothing that a compressor could make smaller: so large a file is kept for later jobs.
      byte[] weights = new byte[512 << 10];
      new Random(1).nextBytes(weights);
      zip.putNextEntry(new ZipEntry("greeting/weights.bin"));
      zip.write(weights);
      zip.closeEntry();
    }
  }

  /**
   * Packs the requirements; the folder in which the environment is made is gone afterwards.
   *
   * @param temporary name of the folder for temporary files
   */
  private Path pack(String requirements, String archive, String temporary) throws Exception {
    Path root = folder.getRoot().toPath();
    Path making = Files.createDirectories(root.resolve(temporary));
    ProcessBuilder builder =
        new ProcessBuilder(PACK_VENV.toString(), requirements, archive)
            .directory(root.toFile())
            .inheritIO();
    builder.environment().putAll(Map.of("TMPDIR", making.toString(), "PIP_NO_INDEX", "1"));
    Process process = builder.start();
    assertEquals(true, process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue());
    assertEquals("nothing is left", List.of(), List.of(making.toFile().list()));
    return root.resolve(archive);
  }

  @Test
  public void shouldPackAnEnvironmentThatRunsOnANode() throws Exception {
    writePackage(folder.getRoot().toPath().resolve("greeting-1.0-py3-none-any.whl"));
    write("requirements.txt", "./greeting-1.0-py3-none-any.whl\n");
    Path archive = pack("requirements.txt", "environment.tar.gz", "making");
    // pip writes other first lines into scripts if the interpreter's path is as long as this one.
    Path again = pack("requirements.txt", "again.tar.gz", "making-" + "a".repeat(150));
    assertArrayEquals(
        "the same requirements give the same bytes",
        Files.readAllBytes(archive),
        Files.readAllBytes(again));

    write(
        "src/train.py",
        """
        import os
        import subprocess
        import sys

        import greeting

        print(greeting.hello(), flush=True)
        assert os.path.samefile(sys.prefix, 'venv'), sys.prefix
        assert os.path.realpath(greeting.__file__).startswith(os.path.realpath('venv'))
        subprocess.run(['venv/bin/greet'], check=True)
        """);
    try (TonyCommand first = submitWithEnvironment("environment.tar.gz")) {
      assertGreets(first);
    }
    try (TonyCommand nextNight = submitWithEnvironment("environment.tar.gz")) {
      assertGreets(nextNight);
      nextNight.await("reused 2 ("); // TonY's own jar is the other one
    }
    org.apache.hadoop.fs.Path shared = new org.apache.hadoop.fs.Path("/envs/greeting-1.0.tar.gz");
    try (FileSystem fs = cluster().fileSystem()) {
      fs.copyFromLocalFile(new org.apache.hadoop.fs.Path(archive.toUri()), shared);
    }
    Files.delete(archive);
    try (TonyCommand fromHdfs = submitWithEnvironment("hdfs://" + shared)) {
      assertGreets(fromHdfs);
    }
  }

  private TonyCommand submitWithEnvironment(String archive) throws IOException {
    return submit(
        "-executes", "train.py",
        "-src_dir", "src",
        "-python_venv", archive,
        "-python_binary_path", "bin/python",
        "-conf", "tony.worker.instances=1");
  }

  private static void assertGreets(TonyCommand tony) throws Exception {
    tony.assertExit(0);
    assertEquals(
        "hello from the environment\nhello from the environment\n",
        log(tony.application(), "worker:0", "stdout"));
  }
}
