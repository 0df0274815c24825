package io.tony.testing;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The Python interpreter of this machine, for the users' programs in test jobs. */
public final class Python {
  private Python() {}

  /** Returns the absolute path of the interpreter that the command {@code python3} starts. */
  public static String path() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String path =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, process.waitFor());
    return path;
  }
}
