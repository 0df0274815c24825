package io.tony.executor.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stands for an executor's JVM that may be killed. Arguments: the program's command line (empty:
 * none comes, and the process's number is written to the pipe), its folder, and the names of its
 * variables, whose values are in files of that name. A byte on standard input has it send SIGTERM
 * to the program, or end it with so many seconds of grace; it ends with the program, and as it did.
 */
public final class ProgramHost {
  private ProgramHost() {}

  /**
   * Starts one.
   *
   * @param environment on top of this process's own
   */
  public static Process start(
      Path folder, Map<String, String> environment, String command, String... variables)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("-Xmx32m");
    line.add("-XX:TieredStopAtLevel=1");
    line.add(ProgramHost.class.getName());
    line.add(command);
    line.add(folder.toString());
    line.addAll(List.of(variables));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().putAll(environment);
    return builder
        .redirectError(folder.resolve("host").toFile())
        .redirectOutput(folder.resolve("host").toFile())
        .start();
  }

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[1]);
    Map<String, String> environment = new HashMap<>();
    for (int i = 2; i < args.length; i++) {
      environment.put(args[i], Files.readString(folder.resolve(args[i])));
    }
    ProcessGroup program = ProcessGroup.prepare(folder, folder);
    if (args[0].isEmpty()) {
      Files.writeString(folder.resolve("pipe"), program.pid() + "\n");
    } else {
      program.run(args[0], environment);
    }
    Thread signals = new Thread(() -> terminateWhenTold(program), "signals");
    signals.setDaemon(true);
    signals.start();
    System.exit(program.ended().join());
  }

  private static void terminateWhenTold(ProcessGroup program) {
    try {
      int told = System.in.read();
      if (told == '\n') {
        program.terminate();
      } else if (told > 0) {
        program.stop(Duration.ofSeconds(told - '0'));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
