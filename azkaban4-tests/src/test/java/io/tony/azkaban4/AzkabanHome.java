package io.tony.azkaban4;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The folder of a prepared Azkaban 4, which the property {@code azkaban4.home} names: its jars in
 * {@code lib}, its pages in {@code web}, its tables in {@code sql}.
 */
record AzkabanHome(Path folder) {

  /** The packages of java.base that Azkaban and its libraries reflect upon. */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.util",
          "java.net",
          "java.io",
          "java.nio",
          "sun.nio.ch",
          "java.lang.reflect",
          "java.text");

  /** The one that this build was given. */
  static AzkabanHome given() {
    return new AzkabanHome(Path.of(System.getProperty("azkaban4.home")));
  }

  Path web() {
    return folder.resolve("web");
  }

  Path sql() {
    return folder.resolve("sql");
  }

  /**
   * A command that runs one of Azkaban's programs on this JVM's Java.
   *
   * @param tmp the folder of the program's temporary files
   */
  List<String> command(Path tmp, String heap, String mainClass, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    command.addAll(List.of("-Dfile.encoding=UTF-8", "-Duser.timezone=UTC"));
    command.add("-Djava.io.tmpdir=" + tmp);
    // The database is for this machine's processes only.
    command.add("-Dh2.bindAddress=127.0.0.1");
    command.addAll(List.of("-cp", folder.resolve("lib") + "/*", mainClass));
    command.addAll(List.of(arguments));
    return command;
  }

  /** What a process must not take over from the environment of the build. */
  static void clear(ProcessBuilder builder) {
    builder.environment().keySet().removeIf(name -> name.matches("(HADOOP|YARN|AZ|TONY)_.*"));
    builder.environment().remove("CLASSPATH");
    builder.environment().put("LC_ALL", "C.UTF-8");
  }
}
