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
 * The class path that a Hadoop installation would have, extracted from the class path of this JVM,
 * which in a test also contains the code under test, the test tools and sometimes Azkaban.
 *
 * <p>The rule: a jar {@code ARTIFACT-VERSION.jar} belongs to Hadoop if and only if ARTIFACT is in
 * the list that this module's build writes from the dependencies of hadoop-minicluster, without the
 * test tools, and the jar is not one of Hadoop's test jars ({@code *-tests.jar}, which have their
 * own log4j.properties and capacity-scheduler.xml). Class folders never belong to Hadoop. The order
 * is kept.
 */
final class HadoopClasspath {

  private static final String LIST = "hadoop-jars.txt";
  private static final Pattern JAR = Pattern.compile("(?<artifact>.+?)-\\d.*(?<!-tests)\\.jar");

  private HadoopClasspath() {}

  /** Returns the absolute paths of Hadoop's jars in the class path of this JVM, joined with ':'. */
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
