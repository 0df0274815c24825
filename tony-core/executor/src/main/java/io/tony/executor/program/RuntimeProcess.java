package io.tony.executor.program;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process of the program, whose stacks can be read if it is a JVM or a Python.
 *
 * @param executable path of the process's executable file
 */
record RuntimeProcess(long pid, Path executable) {
  /**
   * Signals that may make a runtime print its stacks. The numbers are those of Linux on all
   * architectures but Alpha and MIPS.
   */
  enum StackSignal {
    QUIT(3),
    ABRT(6),
    TERM(15);

    private final int number;

    StackSignal(int number) {
      this.number = number;
    }
  }

  private static final List<String> LAUNCHERS =
      List.of("torchrun", "torch.distributed.", "horovodrun", "deepspeed", "accelerate");

  /** Returns the process with this ID; null if the process has ended or belongs to another user. */
  static @Nullable RuntimeProcess of(long pid) {
    try {
      return new RuntimeProcess(pid, Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe")));
    } catch (IOException e) {
      return null;
    }
  }

  boolean isJava() {
    return name().equals("java");
  }

  boolean isPython() {
    return name().toLowerCase(Locale.ROOT).startsWith("python");
  }

  String name() {
    Path name = executable.getFileName();
    return name == null ? "" : name.toString();
  }

  /**
   * Returns true if the process is a framework's launcher, which only starts the processes that do
   * the work and waits for them.
   */
  boolean isLauncher() {
    try {
      String commandLine = file("cmdline").replace('\0', ' ');
      return LAUNCHERS.stream()
          .anyMatch(commandLine.substring(0, Math.min(commandLine.length(), 512))::contains);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns true if this file descriptor of the process (1 is stdout) is open on this file. */
  boolean writesTo(int descriptor, Path file) {
    try {
      return Files.isSameFile(Path.of("/proc/" + pid + "/fd/" + descriptor), file);
    } catch (IOException e) {
      return false;
    }
  }

  boolean isRunning() {
    return this.equals(of(pid));
  }

  /**
   * Returns true if the process has a handler for the signal. Without one, the signal would only
   * end the process.
   */
  boolean handles(StackSignal signal) throws IOException {
    String caught =
        file("status").lines().filter(line -> line.startsWith("SigCgt:")).findFirst().orElse("0");
    String mask = caught.substring(caught.indexOf(':') + 1).strip();
    return (Long.parseUnsignedLong(mask, 16) >> (signal.number - 1) & 1) == 1;
  }

  /** Returns the environment with which the process was started. */
  Map<String, String> environment() throws IOException {
    Map<String, String> environment = new LinkedHashMap<>();
    for (String variable : file("environ").split("\0", -1)) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    return environment;
  }

  /**
   * Returns the path of a program: on the process's {@code PATH}, or in the folder of the process's
   * executable, both as the command line names it (a virtual environment, for example) and by its
   * real path. Returns null if there is none.
   */
  @Nullable Path find(String program) throws IOException {
    List<Path> folders = new ArrayList<>();
    for (String folder : environment().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      if (!folder.isEmpty()) {
        folders.add(path(folder));
      }
    }
    Path called = path(file("cmdline").split("\0", 2)[0]);
    folders.add(called == null ? null : called.getParent());
    folders.add(executable.getParent());
    Path working = Files.readSymbolicLink(Path.of("/proc/" + pid + "/cwd"));
    for (Path folder : folders) {
      Path file = folder == null ? null : working.resolve(folder).resolve(program);
      if (file != null && Files.isRegularFile(file) && Files.isExecutable(file)) {
        return file;
      }
    }
    return null;
  }

  /**
   * Returns the text as a path; null if it is not a valid path in this locale, because file names
   * may be any bytes.
   */
  private static @Nullable Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private String file(String name) throws IOException {
    return ProcessStat.read("/proc/" + pid + "/" + name);
  }
}
