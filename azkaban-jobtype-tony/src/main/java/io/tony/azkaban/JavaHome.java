package io.tony.azkaban;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;
import java.util.Properties;

/** A Java installation for the client, which needs Java 17 or newer. */
final class JavaHome {

  private static final int REQUIRED = 17;

  private final File home;
  private final Optional<String> version;

  private JavaHome(File home, Optional<String> version) {
    this.home = home;
    this.version = version;
  }

  static JavaHome at(File home) {
    return new JavaHome(home, release(home));
  }

  /**
   * Returns the Java installation of this JVM. Its version comes from a system property, because
   * Java 8's {@code release} file is not in {@code java.home}.
   */
  static JavaHome ofThisJvm() {
    return new JavaHome(
        new File(System.getProperty("java.home")),
        Optional.of(System.getProperty("java.specification.version")));
  }

  File java() {
    return new File(home, "bin" + File.separator + "java");
  }

  /**
   * Describes why this Java installation cannot run the client; the text begins with the
   * installation's path. Empty if it can, or if its version is unknown.
   */
  Optional<String> problem() {
    if (!java().canExecute()) {
      return Optional.of(home + ", which has no bin/java.");
    }
    return version
        .filter(text -> feature(text) < REQUIRED)
        .map(text -> home + ", which is Java " + text + "; the client needs " + REQUIRED + ".");
  }

  /** Returns the version in the installation's {@code release} file; empty if there is none. */
  private static Optional<String> release(File home) {
    Properties release = new Properties();
    try (Reader reader =
        Files.newBufferedReader(home.toPath().resolve("release"), StandardCharsets.UTF_8)) {
      release.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
    return Optional.ofNullable(release.getProperty("JAVA_VERSION"))
        .map(text -> text.replace("\"", ""));
  }

  /**
   * Returns the feature release number: 8 for "1.8.0_392", 17 for "17.0.15". A version that is not
   * a number counts as new enough.
   */
  private static int feature(String version) {
    String[] parts = version.split("[^0-9]+", 3);
    try {
      return Integer.parseInt(parts[0].equals("1") && parts.length > 1 ? parts[1] : parts[0]);
    } catch (NumberFormatException e) {
      return REQUIRED;
    }
  }
}
