package io.tony.azkaban;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;
import java.util.Properties;

/** The Java that is to run the client, and whether it can: 17 or newer is needed. */
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

  /** The one that Azkaban runs on; Java 8 keeps its release file elsewhere, so it is asked. */
  static JavaHome ofThisJvm() {
    return new JavaHome(
        new File(System.getProperty("java.home")),
        Optional.of(System.getProperty("java.specification.version")));
  }

  File java() {
    return new File(home, "bin" + File.separator + "java");
  }

  /** What is wrong with it, beginning with its path; a Java of unknown version is given a try. */
  Optional<String> problem() {
    if (!java().canExecute()) {
      return Optional.of(home + ", which has no bin/java.");
    }
    return version
        .filter(text -> feature(text) < REQUIRED)
        .map(text -> home + ", which is Java " + text + "; the client needs " + REQUIRED + ".");
  }

  /** The version in the JDK's {@code release} file. */
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

  /** 8 for "1.8.0_392", 17 for "17.0.15"; what is no number is taken for new. */
  private static int feature(String version) {
    String[] parts = version.split("[^0-9]+", 3);
    try {
      return Integer.parseInt(parts[0].equals("1") && parts.length > 1 ? parts[1] : parts[0]);
    } catch (NumberFormatException e) {
      return REQUIRED;
    }
  }
}
