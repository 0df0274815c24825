package io.tony.runtime.added;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Gang;
import io.tony.runtime.Runtimes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A framework of somebody else's, in a jar of its own, as docs/add-a-framework.md says. */
public class AddedFrameworkTest {
  private static final String CLASS = "io/tony/runtime/added/PaddleRuntime.class";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void shouldFindARuntimeInAnotherJar() throws Exception {
    assertEquals(Optional.empty(), Runtimes.load().find("paddle"));
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader withJar = new URLClassLoader(new URL[] {jar().toUri().toURL()}, before)) {
      thread.setContextClassLoader(withJar);

      FrameworkRuntime paddle = Runtimes.load().find("Paddle").orElseThrow();

      JobSpec job = job().workers(2).framework("paddle").spec();
      ClusterSpec cluster =
          new ClusterSpec(
              Map.of("worker", List.of(new Endpoint("a", 5000), new Endpoint("b", 5001))));
      assertEquals(List.of(), paddle.problems(job));
      assertEquals(
          Map.of(
              "PADDLE_TRAINER_ID", "1",
              "PADDLE_TRAINERS_NUM", "2",
              "PADDLE_CURRENT_ENDPOINT", "b:5001",
              "PADDLE_TRAINER_ENDPOINTS", "a:5000,b:5001"),
          paddle.environment(new Gang(job, cluster, 0), new TaskId("worker", 1)));
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** The class and the file that names it: all that such a jar holds. */
  private Path jar() throws IOException {
    Path jar = temporary.getRoot().toPath().resolve("paddle-runtime.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        InputStream compiled = getClass().getResourceAsStream("/" + CLASS)) {
      out.putNextEntry(new JarEntry("META-INF/services/" + FrameworkRuntime.class.getName()));
      out.write(PaddleRuntime.class.getName().getBytes(StandardCharsets.UTF_8));
      out.putNextEntry(new JarEntry(CLASS));
      compiled.transferTo(out);
    }
    return jar;
  }

  @Test
  public void shouldBeWhatTheDocumentShows() throws IOException {
    String source = Files.readString(Path.of("src/test/java", CLASS.replace(".class", ".java")));
    String shown =
        source
            .substring(source.indexOf("/** What"))
            .lines()
            .map(line -> line.isEmpty() ? line : "    " + line)
            .collect(Collectors.joining("\n"));

    String document = Files.readString(Path.of("../docs/add-a-framework.md"));

    assertTrue("docs/add-a-framework.md must hold:\n" + shown, document.contains(shown));
  }
}
