package io.tony.azkaban.mini;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;

/**
 * Environments with their interpreter inside, packed by {@code bin/pack-venv --uv --with-python}
 * and by conda-pack: they run where there is no Python, and in the tasks of a job.
 */
public class FrameworkPackVenvIT extends ClusterFlowTest {
  private static final String REQUIREMENTS = "numpy==2.4.6\n";

  private static final String PROGRAM =
      """
      import bz2, ctypes, hashlib, lzma, multiprocessing, readline, site, sqlite3, ssl, sys, uuid, zlib
      import numpy

      assert ssl.create_default_context() and hashlib.sha256(b"").hexdigest().startswith("e3b0")
      assert sqlite3.connect(":memory:").execute("select 6 * 7").fetchone() == (42,)
      assert ctypes.CDLL(None).getpid() > 0
      assert numpy.__file__.startswith(sys.prefix), numpy.__file__
      assert not any("/.local/" in path for path in sys.path), sys.path
      print(numpy.ones(3).sum(), flush=True)
      """;

  private static Path python;

  private Path environment;

  /** Not within a test's time limit: the first run on a machine downloads packages. */
  @BeforeClass
  public static void makeEnvironment() throws Exception {
    assumeTrue("only root can change the root folder", isRoot());
    FrameworkEnvironments.require("environments");
    python = Path.of(FrameworkEnvironments.python("environments"));
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  @Before
  public void pack() throws Exception {
    Files.createDirectory(root().resolve("src"));
    Files.writeString(root().resolve("src/train.py"), PROGRAM);
    Files.writeString(root().resolve("requirements.txt"), REQUIREMENTS);
    environment = pack("environment.tar.gz");
  }

  private Path pack(String name) throws Exception {
    Path archive = root().resolve(name);
    run(
        0,
        BuildArtifacts.file("bin/pack-venv").toString(),
        "--uv",
        "--with-python",
        root().resolve("requirements.txt").toString(),
        archive.toString());
    return archive;
  }

  /**
   * Runs a command with uv and patchelf on its {@code PATH} and the program as its standard input,
   * and returns what it prints.
   */
  private String run(int exitCode, String... command) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(root().resolve("src/train.py").toFile());
    builder.environment().merge("PATH", python.getParent() + ":", (path, tools) -> tools + path);
    Process process = builder.start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(output, exitCode, process.waitFor());
    return output;
  }

  private String runWithoutPython(int exitCode, Path archive, String... command) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                BuildArtifacts.file("src-test-resources/bare-root").toString(),
                archive.toString()));
    line.addAll(List.of(command));
    return run(exitCode, line.toArray(String[]::new));
  }

  private void assertRunsInAJob(Path archive, String command) throws Exception {
    try (TonyCommand tony =
        TonyCommand.start(
            cluster(),
            root(),
            TonyCommand.small(
                "submit",
                "-src_dir=src",
                "-python_venv=" + archive.getFileName(),
                "-python_binary_path=bin/python",
                "-executes=train.py && " + command,
                "-conf",
                "tony.worker.instances=1"))) {
      tony.assertExit(0);
      assertEquals("3.0\n2.4.6\n", stdout(tony.application()));
    }
  }

  private static String stdout(String application) throws IOException, InterruptedException {
    StringBuilder text = new StringBuilder();
    for (Path logs : cluster().containerLogs(application)) {
      try (Stream<Path> files = Files.walk(logs)) {
        for (Path log : files.filter(file -> file.endsWith("stdout")).toList()) {
          text.append(Files.readString(log));
        }
      }
    }
    return text.toString();
  }

  @Test
  public void shouldRunWhereThereIsNoPython() throws Exception {
    runWithoutPython(127, environment, "/bin/sh", "-c", "python3 -V");
    assertEquals("3.0", runWithoutPython(0, environment, "/opt/env/bin/python", "-"));
    assertEquals("2.4.6", runWithoutPython(0, environment, "/opt/env/bin/f2py", "-v"));

    assertRunsInAJob(environment, "venv/bin/f2py -v");
    assertArrayEquals(
        "the same requirements give the same bytes",
        Files.readAllBytes(environment),
        Files.readAllBytes(pack("again.tar.gz")));
  }

  /** The environment has conda's layout; the packages are PyPI's, and conda itself is not used. */
  @Test
  public void shouldRunWhatCondaPackPacks() throws Exception {
    Path prefix = Files.createDirectories(root().resolve("conda/envs/train"));
    run(0, "tar", "-xzf", environment.toString(), "-C", prefix.toString());
    Files.delete(prefix.resolve("pyvenv.cfg"));
    Files.createDirectory(prefix.resolve("conda-meta"));
    Files.writeString(prefix.resolve("conda-meta/history"), "");
    Path tool = prefix.resolve("bin/tool");
    Files.writeString(
        tool, "#!" + prefix + "/bin/python\nimport numpy\nprint(numpy.__version__)\n");
    assertTrue(tool.toFile().setExecutable(true));
    Path archive = root().resolve("train.tar.gz");
    String condaPack = python.resolveSibling("conda-pack").toString();
    run(0, condaPack, "-q", "-p", prefix.toString(), "-o", archive.toString());
    run(0, "rm", "-r", prefix.toString());

    assertEquals("3.0", runWithoutPython(0, archive, "/opt/env/bin/python", "-"));
    // Scripts look for Python on PATH.
    runWithoutPython(127, archive, "/opt/env/bin/tool");
    String tools = "PATH=/opt/env/bin:$PATH; tool";
    assertEquals("2.4.6", runWithoutPython(0, archive, "/bin/sh", "-c", tools));

    assertRunsInAJob(archive, "venv/bin/python venv/bin/tool");
  }
}
