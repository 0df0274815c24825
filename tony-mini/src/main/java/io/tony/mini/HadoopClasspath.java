package io.tony.mini;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Extracts the class path that a Hadoop installation would have from the class path of this JVM. In
 * a test, the JVM's class path also contains the code under test, the test tools and sometimes
 * Azkaban.
 *
 * <p>A jar {@code ARTIFACT-VERSION.jar} belongs to Hadoop if two conditions are met. First,
 * ARTIFACT is in a list that this module's build writes: the dependencies of hadoop-minicluster
 * without the test tools. Second, the jar is not a test jar of Hadoop ({@code *-tests.jar}),
 * because those have their own log4j.properties and capacity-scheduler.xml. Folders of classes
 * never belong to Hadoop. The jars keep their order.
 */
final class HadoopClasspath {

  private static final String LIST = "hadoop-jars.txt";
  private static final Pattern JAR = Pattern.compile("(?<artifact>.+?)-\\d.*(?<!-tests)\\.jar");

  private HadoopClasspath() {}

  /**
   * Returns the absolute paths of Hadoop's jars in this JVM's class path, joined with ':'.
   *
   * @throws IllegalStateException if there are none
   */
  static String ofThisJvm() {
    return outOf(System.getProperty("java.class.path"));
  }

  static String outOf(String classpath) {
    Set<String> hadoop = artifactsOfHadoop();
    List<String> jars =
        Arrays.stream(classpath.split(File.pathSeparator))
            .filter(entry -> artifact(entry).filter(hadoop::contains).isPresent())
            .map(entry -> Path.of(entry).toAbsolutePath().normalize().toString())
            .distinct()
            .toList();
    if (jars.isEmpty()) {
      throw new IllegalStateException(
          "The class path of this JVM (java.class.path) names no jar of Hadoop. Start it with the jars in -cp, not with"
              + " one jar whose manifest names them (Surefire and Failsafe: useManifestOnlyJar=false). It is: "
              + classpath);
    }
    return String.join(File.pathSeparator, jars);
  }

  private static Optional<String> artifact(String classpathEntry) {
    Matcher name = JAR.matcher(new File(classpathEntry).getName());
    return name.matches() ? Optional.of(name.group("artifact")) : Optional.empty();
  }

  private static Set<String> artifactsOfHadoop() {
    try (InputStream list = HadoopClasspath.class.getResourceAsStream(LIST)) {
      if (list == null) {
        throw new IllegalStateException(
            LIST
                + " is missing beside this class; Maven's generate-resources phase of tony-mini writes it");
      }
      String jars = new String(list.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(jars.trim().split(File.pathSeparator))
          .flatMap(jar -> artifact(jar).stream())
          .collect(Collectors.toUnmodifiableSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
