package io.tony.runtime.added;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Gang;
import io.tony.runtime.Runtimes;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A framework of somebody else's, in a jar of its own, as docs/add-a-framework.md says. */
public class AddedFrameworkTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void shouldFindARuntimeInAnotherJar() throws Exception {
    assertEquals(Optional.empty(), Runtimes.load().find("paddle"));
    Thread thread = Thread.currentThread();
    URL jar = PaddleJar.write(temporary.getRoot().toPath()).toUri().toURL();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader withJar = new URLClassLoader(new URL[] {jar}, before)) {
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

  @Test
  public void shouldBeWhatTheDocumentShows() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java", PaddleJar.CLASS.replace(".class", ".java")));
    String shown =
        source
            .substring(source.indexOf("/** What"))
            .lines()
            .map(line -> line.isEmpty() ? line : "    " + line)
            .collect(Collectors.joining("\n"));

    String document = Files.readString(Repository.path("docs/add-a-framework.md"));

    assertTrue("docs/add-a-framework.md must hold:\n" + shown, document.contains(shown));
  }
}
