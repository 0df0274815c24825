package io.tony.hadoop.versions;

import io.tony.client.TonyCli;
import io.tony.mini.MiniClusterProcess;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code tony} command as a process of its own, on the jars of the cluster's Hadoop. Whoever
 * asks waits for as long as the command prints nothing: a test needs a time limit. Not thread-safe.
 */
final class TonyCommand implements AutoCloseable {

  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  private final Process process;
  private final BufferedReader output;
  private final StringBuilder printed = new StringBuilder();

  private TonyCommand(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  static TonyCommand start(MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add(TonyCli.class.getName());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder
        .environment()
        .put(
            "CLASSPATH",
            String.join(
                File.pathSeparator,
                cluster.ready("conf"),
                HadoopJars.of(TonyCli.class).toString(),
                cluster.ready("classpath")));
    return new TonyCommand(builder.start());
  }

  /** Waits for a line that holds the text. */
  void await(String text) throws IOException {
    String line = next();
    while (line != null && !line.contains(text)) {
      line = next();
    }
    if (line == null) {
      throw new AssertionError("no line with '" + text + "' in:\n" + printed);
    }
  }

  /** Its exit code, once it has ended; {@link #text} is complete then. */
  int exitCode() throws IOException, InterruptedException {
    while (next() != null) {
      // The end of its output is the end of the command.
    }
    return process.waitFor();
  }

  /** What it has printed as far as it was waited for. */
  String text() {
    return printed.toString();
  }

  /** The id of the application that it speaks of. */
  String application() {
    Matcher id = APPLICATION.matcher(printed);
    if (!id.find()) {
      throw new AssertionError("no application id in:\n" + printed);
    }
    return id.group();
  }

  /** SIGTERM, as Azkaban sends it. */
  void terminate() {
    // Not Process.destroy, which also closes the stream that the rest is to be read from.
    process.toHandle().destroy();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private String next() throws IOException {
    String line = output.readLine();
    if (line != null) {
      printed.append(line).append('\n');
    }
    return line;
  }
}
