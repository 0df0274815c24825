package io.tony.runtime.added;

import io.tony.runtime.FrameworkRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** The jar of somebody's framework: the class and the file that names it, and nothing else. */
public final class PaddleJar {
  static final String CLASS = "io/tony/runtime/added/PaddleRuntime.class";

  private PaddleJar() {}

  /** Writes {@code paddle-runtime.jar}. */
  public static Path write(Path folder) throws IOException {
    Path jar = folder.resolve("paddle-runtime.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        InputStream compiled = PaddleJar.class.getResourceAsStream("/" + CLASS)) {
      out.putNextEntry(new JarEntry("META-INF/services/" + FrameworkRuntime.class.getName()));
      out.write(PaddleRuntime.class.getName().getBytes(StandardCharsets.UTF_8));
      out.putNextEntry(new JarEntry(CLASS));
      compiled.transferTo(out);
    }
    return jar;
  }
}
