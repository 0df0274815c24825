package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The Python environments of {@code frameworks/setup}; the first run on a machine makes them. */
final class FrameworkEnvironments {
  private static final Map<String, String> INTERPRETERS = new HashMap<>();

  private FrameworkEnvironments() {}

  /**
   * The interpreter that has this framework. A framework without packages of its own has the one
   * that {@code python3} stands for.
   */
  static synchronized String python(String framework) throws IOException, InterruptedException {
    String known = INTERPRETERS.get(framework);
    if (known != null) {
      return known;
    }
    Path folder = Path.of(System.getProperty("frameworks"));
    String python =
        Files.exists(folder.resolve(framework + ".txt"))
            ? make(folder, framework)
            : ClusterFlowTest.python();
    INTERPRETERS.put(framework, python);
    return python;
  }

  private static String make(Path folder, String framework)
      throws IOException, InterruptedException {
    Process setup =
        new ProcessBuilder(folder.resolve("setup").toString(), "--python", framework)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String path = new String(setup.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals("frameworks/setup --python " + framework, 0, setup.waitFor());
    return path;
  }
}
