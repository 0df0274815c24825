package io.tony.executor.tunnel;

import io.tony.executor.program.ProcessGroup;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.settings.ExecutorLog;
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
 * The executor's end of a tunnel to a shell that runs in the task's container, beside the program.
 * An interactive shell runs at a terminal made by the program {@code script} of util-linux. The
 * shell and all its descendants end with the tunnel.
 */
final class ShellTunnelEnd implements LocalEnd {
  private static final ExecutorLog LOG = new ExecutorLog(ShellTunnelEnd.class);
  private static final String TERMINAL_SCRIPT = "terminal.sh";

  /** Accepted values of TERM. */
  private static final Pattern TERMINAL_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9+._-]{0,63}");

  private final ProcessGroup shell;
  private final Path commandFile;
  private final Path terminalNameFile;

  private ShellTunnelEnd(ProcessGroup shell, Path commandFile, Path terminalNameFile) {
    this.shell = shell;
    this.commandFile = commandFile;
    this.terminalNameFile = terminalNameFile;
  }

  /**
   * Starts a shell.
   *
   * @param launcher provides the shell's working directory, and the environment of the last program
   * @param tunnelId identifies the tunnel; part of file names
   * @throws IOException if the shell cannot be started
   */
  static ShellTunnelEnd start(
      ProgramLauncher launcher, long tunnelId, ExecutorCommand.Shell request) throws IOException {
    Map<String, String> environment = new HashMap<>(launcher.environment());
    Path folder =
        Files.createDirectories(launcher.workingDirectory().resolve(ProcessGroup.EXECUTOR_FOLDER));
    String name = "shell-" + tunnelId;
    Path terminalNameFile = folder.resolve(name + ".terminal");
    String command = "exec </dev/null\n" + request.command();
    if (request.command().isEmpty()) {
      ProcessGroup.replaceFile(
          folder.resolve(TERMINAL_SCRIPT), ProcessGroup.readResource(TERMINAL_SCRIPT));
      environment.putAll(terminal(request, terminalNameFile));
      command =
          "command -v script >/dev/null"
              + " || { echo \"a terminal needs the program script of util-linux on $HOSTNAME\"; exit 127; }\n"
              + "SHELL=/bin/sh exec script -qefc 'exec bash "
              + ProcessGroup.EXECUTOR_FOLDER
              + "/"
              + TERMINAL_SCRIPT
              + "' /dev/null";
    }
    ProcessGroup shell =
        ProcessGroup.prepareShell(launcher.workingDirectory(), name + ".sh", launcher.spawner());
    try {
      shell.run(command, environment);
    } catch (IOException | RuntimeException e) {
      shell.discard();
      throw e;
    }
    LOG.info("shell " + tunnelId + " is process group " + shell.pid());
    return new ShellTunnelEnd(shell, folder.resolve(name + ".sh"), terminalNameFile);
  }

  private static Map<String, String> terminal(
      ExecutorCommand.Shell request, Path terminalNameFile) {
    boolean valid = TERMINAL_NAME.matcher(request.terminalType()).matches();
    Chunk.Window window = request.window().isValid() ? request.window() : Chunk.Window.DEFAULT;
    return Map.of(
        "TERM", valid ? request.terminalType() : "dumb",
        "TONY_TERMINAL_ROWS", Integer.toString(window.rows()),
        "TONY_TERMINAL_COLUMNS", Integer.toString(window.columns()),
        "TONY_TERMINAL_FILE", terminalNameFile.toString());
  }

  @Override
  public void sendTo(TunnelEnd end) throws IOException, InterruptedException {
    end.sendAll(shell.output());
    end.send(new Chunk.End(shell.ended().join(), ""));
  }

  @Override
  public void onData(byte[] data) {
    try {
      shell.input().write(data);
      shell.input().flush();
    } catch (IOException e) {
      // The shell has ended. Only log this, because sendTo reports the end to the client.
      LOG.info("a shell reads no more: " + e);
    }
  }

  /** Resizes the terminal; the kernel notifies the processes at the terminal. */
  @Override
  public void onWindow(Chunk.Window window) {
    try {
      ProcessGroup.runBash(
          "[[ -f $1 ]] && stty -F \"$(<\"$1\")\" rows \"$2\" cols \"$3\"",
          terminalNameFile.toString(),
          Integer.toString(window.rows()),
          Integer.toString(window.columns()));
    } catch (IOException e) {
      LOG.info("a terminal keeps its size: " + e);
    }
  }

  @Override
  public void onEnd(Chunk.End end) {
    shell.kill();
  }

  @Override
  public void onClosed(String why) {
    // If the shell has ended, do not kill: another process group may have the same ID by now.
    if (!shell.ended().isDone()) {
      shell.kill();
    }
    try {
      Files.deleteIfExists(commandFile);
      Files.deleteIfExists(terminalNameFile);
    } catch (IOException e) {
      LOG.info("a shell leaves a file behind: " + e);
    }
  }
}
