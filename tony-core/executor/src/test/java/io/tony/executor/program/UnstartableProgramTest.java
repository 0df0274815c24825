package io.tony.executor.program;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Against what the node's own bash says. */
public class UnstartableProgramTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path folder;

  @Before
  public void begin() throws IOException {
    folder = temporary.getRoot().toPath().toRealPath();
    Path archive = Files.createDirectories(folder.resolve("cache/env/bin")).getParent();
    Files.createSymbolicLink(folder.resolve("venv"), archive);
  }

  private void program(String name, String content, boolean executable) throws IOException {
    Path file = folder.resolve(name);
    Files.write(file, content.getBytes(StandardCharsets.ISO_8859_1));
    file.toFile().setExecutable(executable);
  }

  /** Runs the command as an executor does, and looks at what it has left. */
  private String reason(String command) throws IOException {
    Files.deleteIfExists(folder.resolve("stderr"));
    ProcessGroup program = ProcessGroup.prepare(folder, folder);
    program.run(command, Map.of("LC_ALL", "C"));
    int code = program.ended().join();
    List<String> stderr = Files.readAllLines(folder.resolve("stderr"), StandardCharsets.UTF_8);
    return UnstartableProgram.reason(code, stderr, folder).orElse("");
  }

  @Test
  public void shouldTellWhereALinkLeads() throws IOException {
    Files.createSymbolicLink(folder.resolve("venv/bin/python3"), Path.of("/opt/builder/python3.8"));
    Files.createSymbolicLink(folder.resolve("venv/bin/python"), Path.of("python3"));
    assertEquals(
        "venv/bin/python is a link to /opt/builder/python3.8, which this node does not have",
        reason("cd . && venv/bin/python main.py"));
  }

  @Test
  public void shouldTellWhatTheFolderHas() throws IOException {
    program("venv/bin/pip", "", true);
    assertEquals(
        "venv has no environment: it has bin", reason("venv/environment/bin/python main.py"));
    assertEquals("venv/bin has no python: it has pip", reason("venv/bin/python main.py"));
    assertEquals(
        "the task's working directory has no bin: it has cache, stderr, stdout, venv",
        reason("bin/python main.py"));
  }

  @Test
  public void shouldTellTheFirstLineOfAScript() throws IOException {
    program("venv/bin/torchrun", "#!/home/builder/env/bin/python -s\n", true);
    assertEquals(
        "venv/bin/torchrun is run by /home/builder/env/bin/python (its first line), which this node"
            + " does not have",
        reason("venv/bin/torchrun main.py"));
  }

  @Test
  public void shouldTellAProgramOfAnotherMachineAndOneThatIsNone() throws IOException {
    char machine = System.getProperty("os.arch").equals("aarch64") ? (char) 62 : (char) 183;
    program(
        "venv/bin/python",
        "\u007fELF\2\1\1" + "\0".repeat(9) + "\2\0" + machine + "\0" + "\0".repeat(44),
        true);
    assertEquals(
        "venv/bin/python is a program for "
            + (machine == 62 ? "amd64" : "aarch64")
            + "; this node is "
            + System.getProperty("os.arch"),
        reason("venv/bin/python main.py"));
    program("run.sh", "echo\n", false);
    assertEquals(
        "./run.sh is not executable: chmod +x before it is shipped", reason("./run.sh -x"));
    assertEquals("run.sh is in the task's working directory: write ./run.sh", reason("run.sh -x"));
  }

  @Test
  public void shouldSayNothingOfAProgramThatRan() throws IOException {
    assertEquals("", reason("echo no >&2; exit 127"));
    assertEquals("", reason("no-such-program-anywhere"));
    assertEquals("", reason("venv/bin/python main.py; exit 1"));
  }
}
