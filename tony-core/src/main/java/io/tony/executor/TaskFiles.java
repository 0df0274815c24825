package io.tony.executor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files through which a program speaks: progress, outputs, and the end of its stderr. */
final class TaskFiles {
  /** Enough for the last lines of a stack trace; the log has the rest. */
  private static final int TAIL_BYTES = 16 * 1024;

  /** More than a step's output properties should be. */
  private static final long MAX_OUTPUT_BYTES = 256 * 1024;

  private static final int MAX_PROGRESS_CHARACTERS = 500;

  private final Path progress;
  private final Path outputs;
  private final Path stderr;
  private String lastProgress = "";

  TaskFiles(Path workingDirectory, Path logs) {
    this.progress = workingDirectory.resolve(".tony/progress");
    this.outputs = workingDirectory.resolve(".tony/outputs");
    this.stderr = logs.resolve("stderr");
  }

  /** Where the program finds them. */
  Map<String, String> environment() {
    return Map.of(
        "TONY_PROGRESS_FILE", progress.toString(), "TONY_OUTPUT_FILE", outputs.toString());
  }

  /** The last complete line of the progress file, when it is new; else null. */
  String newProgress() throws IOException {
    if (!Files.exists(progress)) {
      return null;
    }
    List<String> lines = tail(progress);
    String line = lines.isEmpty() ? "" : lines.get(lines.size() - 1).strip();
    if (line.isEmpty() || line.equals(lastProgress)) {
      return null;
    }
    lastProgress = line;
    return line.substring(0, Math.min(line.length(), MAX_PROGRESS_CHARACTERS));
  }

  /** The {@code key=value} lines of the output file; other lines are passed over. */
  Map<String, String> outputs() throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    if (Files.exists(outputs) && Files.size(outputs) <= MAX_OUTPUT_BYTES) {
      String text = new String(Files.readAllBytes(outputs), StandardCharsets.UTF_8);
      text.lines()
          .filter(line -> line.indexOf('=') > 0)
          .forEach(
              line -> {
                int equals = line.indexOf('=');
                values.put(line.substring(0, equals).strip(), line.substring(equals + 1));
              });
    }
    return values;
  }

  /** The last lines of the program's stderr. */
  String stderrTail(int lines) throws IOException {
    if (!Files.exists(stderr)) {
      return "";
    }
    List<String> all = tail(stderr);
    return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
  }

  private static List<String> tail(Path file) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, in.length() - TAIL_BYTES);
      in.seek(from);
      // What is there by now: the program may be writing the file anew at this moment.
      byte[] bytes = new byte[TAIL_BYTES];
      int length = Math.max(0, in.read(bytes));
      List<String> lines =
          new ArrayList<>(new String(bytes, 0, length, StandardCharsets.UTF_8).lines().toList());
      if (from > 0 && lines.size() > 1) {
        lines.remove(0); // cut in the middle
      }
      return lines;
    }
  }
}
