package io.tony.executor;

import io.tony.model.Beginning;
import io.tony.protocol.ReportLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files through which one program is told its gang, and speaks: progress, outputs, and its
 * stdout and stderr, to which every program of the container appends. What an earlier program left
 * is not this one's.
 */
final class TaskFiles {
  /** Of the progress file. */
  private static final int PROGRESS_BYTES = ReportLimits.STDERR;

  /** Of stderr: of a progress bar all versions are read, and the last one is kept. */
  private static final int STDERR_BYTES = 4 * ReportLimits.STDERR;

  private static final Pattern LINE_END = Pattern.compile("\\r?\\n|\\r");

  private final Path clusterSpec;
  private final Path progress;
  private final Path outputs;
  private final Path asked;
  private final Path stdout;
  private final Path stderr;
  private final long stdoutBegin;
  private final long stderrBegin;
  private String lastProgress = "";

  private TaskFiles(Path workingDirectory, Path logs) throws IOException {
    Path own = Files.createDirectories(workingDirectory.resolve(".tony"));
    this.clusterSpec = own.resolve("cluster.json");
    this.progress = own.resolve("progress");
    this.outputs = own.resolve("outputs");
    this.asked = own.resolve("asked");
    this.stdout = logs.resolve("stdout");
    this.stderr = logs.resolve("stderr");
    this.stdoutBegin = ProgramFile.size(stdout);
    this.stderrBegin = ProgramFile.size(stderr);
  }

  /** For the program that is about to start: forgets what an earlier one said. */
  static TaskFiles begin(Path workingDirectory, Path logs) throws IOException {
    TaskFiles files = new TaskFiles(workingDirectory, logs);
    Files.deleteIfExists(files.clusterSpec);
    Files.deleteIfExists(files.progress);
    Files.deleteIfExists(files.outputs);
    Files.deleteIfExists(files.asked);
    return files;
  }

  /** Writes the addresses of the program's gang, where there are any. */
  void tell(String addresses) throws IOException {
    if (!addresses.isEmpty()) {
      Files.writeString(clusterSpec, addresses);
    }
  }

  /** Where the program finds them. */
  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    if (Files.exists(clusterSpec)) {
      environment.put("TONY_CLUSTER_SPEC_FILE", clusterSpec.toString());
    }
    environment.put("TONY_PROGRESS_FILE", progress.toString());
    environment.put("TONY_OUTPUT_FILE", outputs.toString());
    environment.put("TONY_CHECKPOINT_ASKED", asked.toString());
    return environment;
  }

  /** Has the file appear by which the program is asked for a checkpoint: when, in seconds. */
  void askForCheckpoint(long askedMs) throws IOException {
    Path written = asked.resolveSibling("asked.new");
    Files.deleteIfExists(written);
    // The program can write there, too: no pipe that nobody reads is to be opened.
    Files.writeString(
        written, askedMs / 1000 + "\n", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    Files.move(written, asked, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * The last complete line of the progress file, when it is new; else null. A line is complete when
   * it has an end, or when the program has gone back to its begin to draw it again.
   */
  String newProgress() throws IOException {
    String text = progressTail();
    int end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    String line = lastLine(text.substring(0, end + 1));
    if (line.isEmpty() || line.equals(lastProgress)) {
      return null;
    }
    lastProgress = line;
    return line;
  }

  /**
   * The last line once nobody writes any more, when it is complete without an end; empty where
   * there is none.
   */
  String lastProgress() throws IOException {
    return lastLine(progressTail());
  }

  private static String lastLine(String text) {
    return Beginning.of(TerminalText.lastLine(text), ReportLimits.PROGRESS);
  }

  Outputs outputs() throws IOException {
    return Outputs.read(outputs);
  }

  /** Takes the stacks of the program's processes. */
  Stacks stacks(Stacks.Purpose purpose) {
    return new Stacks(stdout, stderr, progress.getParent(), purpose);
  }

  /** How much there is on its stderr by now. */
  long stderrSize() throws IOException {
    return ProgramFile.size(stderr);
  }

  /** The end of the program's stderr, from the beginning of a line where there is one. */
  List<String> stderrTail() throws IOException {
    return stderrTail(Long.MAX_VALUE);
  }

  /**
   * The same of a file of at most this size: what follows is not the program's own. The lines are
   * those that a terminal would show, {@link ReportLimits#STDERR} characters of them at most.
   */
  List<String> stderrTail(long most) throws IOException {
    long end = Math.min(most, ProgramFile.size(stderr));
    long begin = Math.max(stderrBegin, end - STDERR_BYTES);
    int length = Math.toIntExact(Math.max(0, end - begin));
    String text = new String(ProgramFile.begin(stderr, begin, length), StandardCharsets.UTF_8);
    return fitting(TerminalText.lines(begin > stderrBegin ? fromBeginOfLine(text) : text));
  }

  /** Without what stands before the first begin of a line, or of another version of one. */
  private static String fromBeginOfLine(String text) {
    Matcher end = LINE_END.matcher(text);
    return end.find() && end.end() < text.length() ? text.substring(end.end()) : text;
  }

  /** The last lines, as many as fit whole; of a last line that does not fit, its end. */
  private static List<String> fitting(List<String> lines) {
    int from = lines.size();
    int room = ReportLimits.STDERR;
    while (from > 0 && lines.get(from - 1).length() < room) {
      from--;
      room -= lines.get(from).length() + 1;
    }
    if (from < lines.size() || lines.isEmpty()) {
      return List.copyOf(lines.subList(from, lines.size()));
    }
    String last = lines.get(from - 1);
    return List.of(last.substring(last.length() - ReportLimits.STDERR));
  }

  /** What a preprocessing program printed for the tasks after it. */
  ModelParameters modelParameters() throws IOException {
    return ModelParameters.last(stdout, stdoutBegin);
  }

  /** Changes whenever the program writes to one of the files. */
  List<String> marks() throws IOException {
    List<String> marks = new ArrayList<>();
    for (Path file : List.of(stdout, stderr, progress, outputs)) {
      marks.add(
          Files.exists(file) ? Files.size(file) + " " + Files.getLastModifiedTime(file) : "none");
    }
    return marks;
  }

  private String progressTail() throws IOException {
    return new String(ProgramFile.end(progress, 0, PROGRESS_BYTES), StandardCharsets.UTF_8);
  }
}
