package io.tony.azkaban4;

import io.tony.mini.MiniClusterProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Azkaban's web server as far as it deals with pods that have ended and with applications on YARN:
 * a process of its own, on the database of an Azkaban of the tests. {@code
 * src/test/azkaban/ContainerizedWebServer.java} is the program; the build has no Azkaban 4 to
 * compile it against.
 */
final class PodServer implements AutoCloseable {

  private static final Path PROGRAM = Path.of("src/test/azkaban/ContainerizedWebServer.java");
  private static final String ANSWER = "answer ";

  private final Process process;
  private final Path log;
  private final PrintStream commands;
  private final BufferedReader answers;

  private PodServer(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts one; it works a few seconds later, and the first question waits for that. */
  static PodServer start(Azkaban4 azkaban, MiniClusterProcess cluster) throws IOException {
    Path log = azkaban.state().resolve("pod-server.log");
    ProcessBuilder builder =
        new ProcessBuilder(
            azkaban
                .home()
                .command(
                    azkaban.tmp(),
                    "256m",
                    PROGRAM.toAbsolutePath().toString(),
                    azkaban.state().resolve("conf").toString(),
                    cluster.property("conf")));
    AzkabanHome.clear(builder);
    builder
        .directory(azkaban.state().toFile())
        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new PodServer(builder.start(), log);
  }

  /**
   * A pod is gone. Azkaban ends its execution as EXECUTION_STOPPED, unless it has ended, and starts
   * the flow again where its parameters say so.
   *
   * @return the execution that retries the flow; 0 where Azkaban does not retry it
   */
  int ended(int execution) throws IOException {
    return Integer.parseInt(ask("ended", execution));
  }

  /** The living applications that Azkaban finds for an execution. */
  List<String> find(int execution) throws IOException {
    String ids = ask("find", execution);
    return ids.isEmpty() ? List.of() : List.of(ids.split(" "));
  }

  /** Submits an application that sleeps, with the tag that Azkaban's own job types give it. */
  String submit(int execution) throws IOException {
    return ask("submit", execution);
  }

  /** Has Azkaban's cleaner end the applications of all stopped executions. */
  void clean() throws IOException {
    ask("clean", 0);
  }

  private String ask(String command, int execution) throws IOException {
    commands.println(command + " " + execution);
    String line = answers.readLine();
    while (line != null && !line.startsWith(ANSWER)) {
      line = answers.readLine();
    }
    if (line == null) {
      throw new IOException("no answer to " + command + ":\n" + Files.readString(log));
    }
    return line.substring(ANSWER.length());
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
