package io.tony.executor.program;

import io.tony.process.ProgramHead;
import io.tony.text.Strings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Explains why a shell could not start a program, by inspecting the program's file. The shell
 * reports only "No such file", for example for a broken link or for a script whose interpreter is
 * missing.
 */
final class UnstartableProgram {
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;

  /** Maximum number of a folder's file names that the message contains. */
  private static final int MAX_NAMED = 10;

  /** Maximum number of file names that are read from a folder. */
  private static final int MAX_READ = 1000;

  private static final int MAX_CHARS = 600;
  private static final int MAX_LINKS = 40;

  /**
   * bash's error message in any language: file of the command line, line number, name of the
   * program, reason.
   */
  private static final Pattern SHELL_ERROR = Pattern.compile(".*/command\\.sh: [^:]+: ([^:]+): .+");

  private final Path workingDirectory;
  private final String name;

  private UnstartableProgram(Path workingDirectory, String name) {
    this.workingDirectory = workingDirectory;
    this.name = name;
  }

  /**
   * Returns an explanation for the user; empty if the program did start or no reason is found.
   *
   * @param exitCode exit code of the shell
   * @param stderr last lines of the program's stderr
   * @param workingDirectory the program's working directory
   */
  static Optional<String> reason(int exitCode, List<String> stderr, Path workingDirectory) {
    if ((exitCode != NOT_FOUND && exitCode != NOT_EXECUTABLE) || stderr.isEmpty()) {
      return Optional.empty();
    }
    Matcher shellError = SHELL_ERROR.matcher(stderr.get(stderr.size() - 1));
    if (!shellError.matches()) {
      return Optional.empty();
    }
    UnstartableProgram program = new UnstartableProgram(workingDirectory, shellError.group(1));
    try {
      return program.reason().map(text -> Strings.truncate(text, MAX_CHARS));
    } catch (IOException | InvalidPathException | DirectoryIteratorException e) {
      return Optional.empty();
    }
  }

  private Optional<String> reason() throws IOException {
    Path file = workingDirectory.resolve(name);
    if (!name.contains("/")) {
      return Files.isRegularFile(file)
          ? Optional.of(name + " is in the task's working directory: write ./" + name)
          : Optional.empty();
    }
    Path existing = name.startsWith("/") ? Path.of("/") : workingDirectory;
    for (Path part : existing.relativize(file)) {
      Path next = existing.resolve(part);
      if (!Files.exists(next, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.of(shown(existing) + " has no " + part + ": it has " + contents(existing));
      }
      if (!Files.exists(next)) {
        return Optional.of(
            shown(next) + " is a link to " + target(next) + ", which this node does not have");
      }
      existing = next;
    }
    return Files.isRegularFile(file) ? fileReason(file) : Optional.empty();
  }

  private Optional<String> fileReason(Path file) throws IOException {
    ProgramHead head;
    try (InputStream in = Files.newInputStream(file)) {
      head = ProgramHead.read(in);
    }
    Optional<String> interpreter = head.interpreter();
    if (interpreter.isPresent() && !Files.exists(workingDirectory.resolve(interpreter.get()))) {
      return Optional.of(
          name
              + " is run by "
              + interpreter.get()
              + " (its first line), which this node does not have");
    }
    Optional<String> otherMachine = head.incompatibleMachine();
    if (otherMachine.isPresent()) {
      return Optional.of(
          name
              + " is a program for "
              + otherMachine.get()
              + "; this node is "
              + System.getProperty("os.arch"));
    }
    return Files.isExecutable(file)
        ? Optional.empty()
        : Optional.of(name + " is not executable: chmod +x before it is shipped");
  }

  /**
   * Returns the file to which a chain of symbolic links leads in the end; that file may not exist.
   */
  private static Path target(Path link) throws IOException {
    Path target = link;
    for (int i = 0; i < MAX_LINKS && Files.isSymbolicLink(target); i++) {
      target = target.resolveSibling(Files.readSymbolicLink(target)).normalize();
    }
    return target;
  }

  private String shown(Path path) {
    return path.equals(workingDirectory)
        ? "the task's working directory"
        : (path.startsWith(workingDirectory) ? workingDirectory.relativize(path) : path).toString();
  }

  private static String contents(Path folder) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, file -> !file.getFileName().toString().startsWith("."))) {
      for (Path file : files) {
        names.add(file.getFileName().toString());
        if (names.size() == MAX_READ) {
          break;
        }
      }
    }
    int more = names.size() - MAX_NAMED;
    return names.isEmpty()
        ? "nothing"
        : names.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
            + (more > 0 ? " and more" : "");
  }
}
