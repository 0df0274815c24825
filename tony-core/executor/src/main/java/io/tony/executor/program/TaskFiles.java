package io.tony.executor.program;

import io.tony.protocol.ReportLimits;
import io.tony.text.Strings;
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
import org.jspecify.annotations.Nullable;

/**
 * Files through which the executor and one program exchange data: cluster addresses, progress,
 * outputs, the checkpoint request, stdout and stderr. All programs of the container append to the
 * same stdout and stderr; what earlier programs wrote is ignored.
 */
final class TaskFiles {
  /** Maximum number of bytes read from the end of the progress file. */
  private static final int MAX_PROGRESS_BYTES = ReportLimits.MAX_STDERR_CHARS;

  /**
   * Maximum number of bytes read from the end of stderr. Larger than what is reported, because a
   * progress bar writes many versions of its line, of which only the last is reported.
   */
  private static final int MAX_STDERR_BYTES = 4 * ReportLimits.MAX_STDERR_CHARS;

  private static final Pattern LINE_END = Pattern.compile("\\r?\\n|\\r");

  private final Path folder;
  private final Path clusterSpec;
  private final Path progress;
  private final Path outputs;
  private final Path checkpointRequest;
  private final Path stdout;
  private final Path stderr;
  private final long stdoutOffset;
  private final long stderrOffset;
  private String lastProgress = "";

  private TaskFiles(Path workingDirectory, Path logs) throws IOException {
    this.folder = Files.createDirectories(workingDirectory.resolve(".tony"));
    this.clusterSpec = folder.resolve("cluster.json");
    this.progress = folder.resolve("progress");
    this.outputs = folder.resolve("outputs");
    this.checkpointRequest = folder.resolve("asked");
    this.stdout = logs.resolve("stdout");
    this.stderr = logs.resolve("stderr");
    this.stdoutOffset = ProgramFile.size(stdout);
    this.stderrOffset = ProgramFile.size(stderr);
  }

  /**
   * Returns the files of the program that is about to start, and deletes those of an earlier
   * program. Stdout and stderr stay.
   */
  static TaskFiles prepare(Path workingDirectory, Path logs) throws IOException {
    TaskFiles files = new TaskFiles(workingDirectory, logs);
    Files.deleteIfExists(files.clusterSpec);
    Files.deleteIfExists(files.progress);
    Files.deleteIfExists(files.outputs);
    Files.deleteIfExists(files.checkpointRequest);
    return files;
  }

  /**
   * Writes the addresses of the gang's tasks as JSON; writes no file if {@code addresses} is empty.
   */
  void writeClusterSpec(String addresses) throws IOException {
    if (!addresses.isEmpty()) {
      Files.writeString(clusterSpec, addresses);
    }
  }

  /** Returns the environment variables that name the files. */
  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    if (Files.exists(clusterSpec)) {
      environment.put("TONY_CLUSTER_SPEC_FILE", clusterSpec.toString());
    }
    environment.put("TONY_PROGRESS_FILE", progress.toString());
    environment.put("TONY_OUTPUT_FILE", outputs.toString());
    environment.put("TONY_CHECKPOINT_ASKED", checkpointRequest.toString());
    return environment;
  }

  /**
   * Creates the checkpoint request file, whose content is the time of the request in seconds since
   * 1970.
   */
  void askForCheckpoint(long askedMs) throws IOException {
    Path written = checkpointRequest.resolveSibling("asked.new");
    Files.deleteIfExists(written);
    // CREATE_NEW: the program can write to this folder, too, and opening a pipe that it made would
    // block.
    Files.writeString(
        written, askedMs / 1000 + "\n", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    Files.move(written, checkpointRequest, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Returns the last complete line of the progress file; null if it is unchanged since the last
   * call. A line is complete when it ends with a line feed or a carriage return.
   */
  @Nullable String newProgress() throws IOException {
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
   * Returns the last line of the progress file, complete or not; empty if there is none. For use
   * after the program's end.
   */
  String lastProgress() throws IOException {
    return lastLine(progressTail());
  }

  private static String lastLine(String text) {
    return Strings.truncate(TerminalText.lastLine(text), ReportLimits.MAX_PROGRESS_CHARS);
  }

  ProgramOutputs outputs() throws IOException {
    return ProgramOutputs.read(outputs);
  }

  /** Creates a collector that reads the stacks of the program's processes. */
  StackCollector newStackCollector(StackCollector.Purpose purpose) {
    return new StackCollector(stdout, stderr, folder, purpose);
  }

  /** Returns the current size of the stderr file in bytes. */
  long stderrSize() throws IOException {
    return ProgramFile.size(stderr);
  }

  /**
   * Returns the last lines of the program's stderr as a terminal would show them, together at most
   * {@link ReportLimits#MAX_STDERR_CHARS} characters.
   */
  List<String> stderrTail() throws IOException {
    return stderrTail(Long.MAX_VALUE);
  }

  /**
   * Like {@link #stderrTail()}, but only of the first {@code maxSize} bytes of the stderr file;
   * what follows was written by the executor or by a stack dump.
   */
  List<String> stderrTail(long maxSize) throws IOException {
    long end = Math.min(maxSize, ProgramFile.size(stderr));
    long start = Math.max(stderrOffset, end - MAX_STDERR_BYTES);
    int length = Math.toIntExact(Math.max(0, end - start));
    String text = new String(ProgramFile.readFrom(stderr, start, length), StandardCharsets.UTF_8);
    return fitting(TerminalText.lines(start > stderrOffset ? fromLineStart(text) : text));
  }

  /**
   * Returns the text after its first line feed or carriage return, because its first line may be
   * incomplete; the whole text if nothing would be left.
   */
  private static String fromLineStart(String text) {
    Matcher end = LINE_END.matcher(text);
    return end.find() && end.end() < text.length() ? text.substring(end.end()) : text;
  }

  /**
   * Returns as many of the last lines as fit into the limit. If not even the last line fits,
   * returns the end of that line.
   */
  private static List<String> fitting(List<String> lines) {
    int from = lines.size();
    int room = ReportLimits.MAX_STDERR_CHARS;
    while (from > 0 && lines.get(from - 1).length() < room) {
      from--;
      room -= lines.get(from).length() + 1;
    }
    if (from < lines.size() || lines.isEmpty()) {
      return List.copyOf(lines.subList(from, lines.size()));
    }
    String last = lines.get(from - 1);
    return List.of(last.substring(last.length() - ReportLimits.MAX_STDERR_CHARS));
  }

  /** Returns the model parameters that a preprocessing program printed to stdout. */
  ModelParameters modelParameters() throws IOException {
    return ModelParameters.last(stdout, stdoutOffset);
  }

  /**
   * Returns strings that change whenever the program writes to its stdout, stderr, progress file or
   * output file.
   */
  List<String> marks() throws IOException {
    List<String> marks = new ArrayList<>();
    for (Path file : List.of(stdout, stderr, progress, outputs)) {
      marks.add(
          Files.exists(file) ? Files.size(file) + " " + Files.getLastModifiedTime(file) : "none");
    }
    return marks;
  }

  private String progressTail() throws IOException {
    return new String(
        ProgramFile.readTail(progress, 0, MAX_PROGRESS_BYTES), StandardCharsets.UTF_8);
  }
}
