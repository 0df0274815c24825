package io.tony.executor;

import io.tony.executor.rpc.Command;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.LocalEnd;
import io.tony.tunnel.TunnelEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A shell beside the program, at the end of a tunnel. Where it is for people, it runs at a terminal
 * that {@code script} of util-linux makes. It and all that it starts ends with the tunnel.
 */
final class ShellEnd implements LocalEnd {
  private static final ExecutorLog LOG = new ExecutorLog(ShellEnd.class);
  private static final String TERMINAL_SCRIPT = "terminal.sh";

  /** What names of terminals consist of. */
  private static final Pattern TERMINAL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9+._-]{0,63}");

  private final UserProcess shell;
  private final Path commandFile;
  private final Path nameOfTerminal;

  private ShellEnd(UserProcess shell, Path commandFile, Path nameOfTerminal) {
    this.shell = shell;
    this.commandFile = commandFile;
    this.nameOfTerminal = nameOfTerminal;
  }

  /**
   * One that runs.
   *
   * @param programs the shell has the working directory, and the environment of the last of them
   * @param number what tells it from others
   */
  static ShellEnd start(Programs programs, long number, Command.Shell wanted) throws IOException {
    Map<String, String> environment = new HashMap<>(programs.environment());
    Path own = Files.createDirectories(programs.workingDirectory().resolve(UserProcess.OWN));
    String name = "shell-" + number;
    Path nameOfTerminal = own.resolve(name + ".terminal");
    String command = "exec </dev/null\n" + wanted.command();
    if (wanted.command().isEmpty()) {
      UserProcess.replace(own.resolve(TERMINAL_SCRIPT), UserProcess.resource(TERMINAL_SCRIPT));
      environment.putAll(terminal(wanted, nameOfTerminal));
      command =
          "command -v script >/dev/null"
              + " || { echo \"a terminal needs the program script of util-linux on $HOSTNAME\"; exit 127; }\n"
              + "SHELL=/bin/sh exec script -qefc 'exec bash "
              + UserProcess.OWN
              + "/"
              + TERMINAL_SCRIPT
              + "' /dev/null";
    }
    UserProcess shell =
        UserProcess.shell(programs.workingDirectory(), name + ".sh", programs.spawner());
    try {
      shell.run(command, environment);
    } catch (IOException | RuntimeException e) {
      shell.discard();
      throw e;
    }
    LOG.info("shell " + number + " is process group " + shell.pid());
    return new ShellEnd(shell, own.resolve(name + ".sh"), nameOfTerminal);
  }

  private static Map<String, String> terminal(Command.Shell wanted, Path nameOfTerminal) {
    boolean known = TERMINAL.matcher(wanted.terminal()).matches();
    Chunk.Window window = wanted.window().makesSense() ? wanted.window() : Chunk.Window.USUAL;
    return Map.of(
        "TERM", known ? wanted.terminal() : "dumb",
        "TONY_TERMINAL_ROWS", Integer.toString(window.rows()),
        "TONY_TERMINAL_COLUMNS", Integer.toString(window.columns()),
        "TONY_TERMINAL_FILE", nameOfTerminal.toString());
  }

  @Override
  public void sendTo(TunnelEnd end) throws IOException, InterruptedException {
    end.sendAll(shell.output());
    end.send(new Chunk.End(shell.ended().join(), ""));
  }

  @Override
  public void data(byte[] data) {
    try {
      shell.input().write(data);
      shell.input().flush();
    } catch (IOException e) {
      LOG.info("a shell reads no more: " + e); // its end is told by sendTo
    }
  }

  /** The kernel tells the programs at the terminal. */
  @Override
  public void window(Chunk.Window window) {
    try {
      UserProcess.bash(
          "[[ -f $1 ]] && stty -F \"$(<\"$1\")\" rows \"$2\" cols \"$3\"",
          nameOfTerminal.toString(),
          Integer.toString(window.rows()),
          Integer.toString(window.columns()));
    } catch (IOException e) {
      LOG.info("a terminal keeps its size: " + e);
    }
  }

  @Override
  public void ended(Chunk.End end) {
    shell.kill();
  }

  @Override
  public void closed(String why) {
    if (!shell.ended().isDone()) { // else its process group may be another one's by now
      shell.kill();
    }
    try {
      Files.deleteIfExists(commandFile);
      Files.deleteIfExists(nameOfTerminal);
    } catch (IOException e) {
      LOG.info("a shell leaves a file behind: " + e);
    }
  }
}
