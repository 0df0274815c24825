package io.tony.executor.program;

import io.tony.protocol.ReportLimits;
import io.tony.text.Strings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Values that a program published for later jobs of its flow, in the file {@code TONY_OUTPUT_FILE}.
 * Their size is limited, because the job's event log records them, for up to ten thousand tasks,
 * and every reader of the event log keeps them in memory.
 *
 * @param values from the {@code key=value} lines of the file; the last line of each key counts
 * @param omissions what was left out, why, and the remedy; empty if nothing was
 */
record ProgramOutputs(Map<String, String> values, String omissions) {
  private static final long MAX_FILE_BYTES = 256 * 1024;
  private static final int MAX_NAMED_KEYS = 5;
  private static final int MAX_NAMED_LINES = 5;
  private static final int MAX_NAMED_CHARS = 100; // longer keys are truncated in messages
  private static final String REMEDY =
      ". Put what is large into a file of the cluster, and its path into TONY_OUTPUT_FILE";

  /**
   * Reads the file. Lines that are not {@code key=value} are left out, and their line numbers are
   * in the omissions.
   */
  static ProgramOutputs read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return new ProgramOutputs(Map.of(), "");
    }
    if (!ProgramFile.isRegular(file)) {
      return new ProgramOutputs(
          Map.of(),
          "all outputs are left out: TONY_OUTPUT_FILE is a pipe, a device or a folder now");
    }
    long bytes = Files.size(file);
    if (bytes > MAX_FILE_BYTES) {
      return new ProgramOutputs(
          Map.of(),
          "all outputs are left out: TONY_OUTPUT_FILE has "
              + bytes
              + " bytes, above "
              + MAX_FILE_BYTES
              + REMEDY);
    }
    // Read only as many bytes as the file had when its size was checked: a process of the program
    // may still append to the file.
    byte[] contents = ProgramFile.readTail(file, 0, (int) bytes);
    List<String> lines = new String(contents, StandardCharsets.UTF_8).lines().toList();
    ProgramOutputs fitting = within(ReportLimits.MAX_OUTPUTS_CHARS, values(lines));
    String malformed = malformed(lines);
    return new ProgramOutputs(
        fitting.values(),
        Stream.of(malformed, fitting.omissions())
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; ")));
  }

  private static Map<String, String> values(List<String> lines) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String line : lines) {
      if (isOutput(line)) {
        int equals = line.indexOf('=');
        values.put(line.substring(0, equals).strip(), line.substring(equals + 1));
      }
    }
    return values;
  }

  private static boolean isOutput(String line) {
    int equals = line.indexOf('=');
    return equals > 0 && !line.substring(0, equals).isBlank();
  }

  /**
   * Returns a message with the numbers of the malformed lines; empty if there are none. Never
   * contains the lines themselves, which may be part of a secret.
   */
  private static String malformed(List<String> lines) {
    List<Integer> numbers =
        IntStream.range(0, lines.size())
            .filter(i -> !lines.get(i).isBlank() && !isOutput(lines.get(i)))
            .mapToObj(i -> i + 1)
            .toList();
    if (numbers.isEmpty()) {
      return "";
    }
    String named =
        numbers.stream()
            .limit(MAX_NAMED_LINES)
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    int more = numbers.size() - MAX_NAMED_LINES;
    return (numbers.size() == 1 ? "line " : "lines ")
        + named
        + (more > 0 ? " and " + more + " more" : "")
        + " of TONY_OUTPUT_FILE "
        + (numbers.size() == 1 ? "is" : "are")
        + " left out: each line is KEY=VALUE, and a value has no line break (write it as JSON, or"
        + " publish the path of a file)";
  }

  /**
   * Returns the outputs that fit into the limit of characters, in their order. A value that does
   * not fit is left out; later, smaller ones may still fit.
   */
  private static ProgramOutputs within(int limit, Map<String, String> all) {
    Map<String, String> values = new LinkedHashMap<>();
    List<String> tooMany = new ArrayList<>();
    int size = 0;
    for (Map.Entry<String, String> output : all.entrySet()) {
      int length = output.getKey().length() + output.getValue().length();
      if (size + length <= limit) {
        values.put(output.getKey(), output.getValue());
        size += length;
      } else {
        tooMany.add(abbreviated(output.getKey()) + " (" + length + " characters)");
      }
    }
    return new ProgramOutputs(values, tooMany.isEmpty() ? "" : omissions(tooMany, limit));
  }

  private static String omissions(List<String> outputs, int limit) {
    String named = String.join(", ", outputs.subList(0, Math.min(MAX_NAMED_KEYS, outputs.size())));
    int more = outputs.size() - MAX_NAMED_KEYS;
    return "outputs are left out: "
        + named
        + (more > 0 ? " and " + more + " more" : "")
        + "; a task's keys and values may have at most "
        + limit
        + " characters together"
        + REMEDY;
  }

  private static String abbreviated(String key) {
    return key.length() <= MAX_NAMED_CHARS ? key : Strings.truncate(key, MAX_NAMED_CHARS) + "…";
  }
}
