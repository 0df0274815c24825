package io.tony.client.submit;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the jar that contains this client; the containers on the cluster run the same jar. */
final class ProgramJar {
  private ProgramJar() {}

  static Path path() {
    try {
      Path path =
          Path.of(ProgramJar.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (!Files.isRegularFile(path)) {
        throw new IllegalStateException(
            path + " is not a jar: build tony-core (mvn package) and run its jar");
      }
      return path;
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the place of this program is no path", e);
    }
  }
}
