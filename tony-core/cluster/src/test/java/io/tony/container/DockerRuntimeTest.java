package io.tony.container;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.DockerSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class DockerRuntimeTest {
  private static final Map<String, String> ASKS =
      DockerRuntime.environment(new DockerSpec("ml/train:1", List.of()));

  @Test
  public void shouldRunOutsideDockerWhatDoesNotAskForIt() throws Exception {
    DockerRuntime.requireDocker(DockerRuntime.environment(null), false);
  }

  @Test
  public void shouldRunInDockerWhatAsksForIt() throws Exception {
    DockerRuntime.requireDocker(ASKS, true);
  }

  @Test
  public void shouldNotRunOutsideDockerWhatAsksForIt() {
    String told =
        assertThrows(IOException.class, () -> DockerRuntime.requireDocker(ASKS, false))
            .getMessage();
    assertTrue(told, told.contains("outside Docker, without the image ml/train:1"));
    assertTrue(told, told.contains("tony.docker.enabled"));
  }
}
