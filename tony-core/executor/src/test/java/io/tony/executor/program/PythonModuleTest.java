package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PythonModuleTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** What the modules do is tested in their own language. */
  @Test
  public void shouldPassTheTestsOfTheModule() throws IOException, InterruptedException {
    assertPasses("test_tony.py");
  }

  @Test
  public void shouldPassTheTestsOfTheNotebook() throws IOException, InterruptedException {
    assertPasses("test_tony_notebook.py");
  }

  private void assertPasses(String script) throws IOException, InterruptedException {
    Path module = PythonModule.write(folder.getRoot().toPath());
    Path said = folder.newFile().toPath();
    ProcessBuilder tests =
        new ProcessBuilder("python3", Path.of("src/test/python", script).toString())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    tests.environment().put("TONY_MODULE", module.toString());

    Process process = tests.start();
    boolean ended = process.waitFor(5, TimeUnit.MINUTES);
    process.destroyForcibly();

    String text = Files.readString(said, StandardCharsets.UTF_8);
    assertTrue(text, ended);
    assertEquals(text, 0, process.exitValue());
    assertTrue(text, text.matches("(?s).*Ran [1-9]\\d+ tests.*"));
  }

  @Test
  public void shouldComeAfterTheUsersModules() throws IOException {
    Path module = PythonModule.write(folder.getRoot().toPath());

    assertEquals("lib:/opt/lib:" + module, PythonModule.pathWith("lib:/opt/lib", module));
    assertEquals(module.toString(), PythonModule.pathWith(null, module));
    assertEquals(
        "nothing of the working folder", module.toString(), PythonModule.pathWith("", module));
  }

  /** The next program of the task finds it, whatever the last one left in its place. */
  @Test
  public void shouldBeWrittenAnew() throws IOException {
    Path module = PythonModule.write(folder.getRoot().toPath());
    String text = Files.readString(module.resolve("tony.py"));
    Files.writeString(module.resolve("tony.py"), "broken(");

    PythonModule.write(folder.getRoot().toPath());

    assertEquals(text, Files.readString(module.resolve("tony.py")));
    Files.delete(module.resolve("tony.py"));
    Files.delete(module.resolve("tony_notebook.py"));
    Files.delete(module);
    assertEquals(module, PythonModule.write(folder.getRoot().toPath()));
  }
}
