package io.tony.executor;

import io.tony.model.Beginning;
import io.tony.protocol.ReportLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a program left for later steps of its flow. It is recorded in the job's event log, and every
 * reader keeps it, of ten thousand tasks as well: so it is limited.
 *
 * @param values {@code key=value} lines of the file, each key's last value
 * @param leftOut what of the file is not among them, why, and the remedy; empty when all is
 */
record Outputs(Map<String, String> values, String leftOut) {
  private static final long MAX_FILE_BYTES = 256 * 1024;
  private static final int NAMED_KEYS = 5;
  private static final int NAMED_CHARACTERS = 100; // of one of them
  private static final String REMEDY =
      ". Put what is large into a file of the cluster, and its path into TONY_OUTPUT_FILE";

  /** Lines that are no {@code key=value} are passed over. */
  static Outputs read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return new Outputs(Map.of(), "");
    }
    if (!ProgramFile.isThere(file)) {
      return new Outputs(
          Map.of(),
          "all outputs are left out: TONY_OUTPUT_FILE is a pipe, a device or a folder now");
    }
    long bytes = Files.size(file);
    if (bytes > MAX_FILE_BYTES) {
      return new Outputs(
          Map.of(),
          "all outputs are left out: TONY_OUTPUT_FILE has "
              + bytes
              + " bytes, above "
              + MAX_FILE_BYTES
              + REMEDY);
    }
    byte[] contents = ProgramFile.end(file, 0, (int) bytes); // it may grow meanwhile
    return within(ReportLimits.OUTPUTS, values(new String(contents, StandardCharsets.UTF_8)));
  }

  private static Map<String, String> values(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    text.lines()
        .filter(line -> line.indexOf('=') > 0)
        .forEach(
            line -> {
              int equals = line.indexOf('=');
              values.put(line.substring(0, equals).strip(), line.substring(equals + 1));
            });
    return values;
  }

  /** Those that fit, in their order: a long one does not take the short ones behind it along. */
  private static Outputs within(int limit, Map<String, String> all) {
    Map<String, String> values = new LinkedHashMap<>();
    List<String> tooMany = new ArrayList<>();
    int size = 0;
    for (Map.Entry<String, String> output : all.entrySet()) {
      int length = output.getKey().length() + output.getValue().length();
      if (size + length <= limit) {
        values.put(output.getKey(), output.getValue());
        size += length;
      } else {
        tooMany.add(named(output.getKey()) + " (" + length + " characters)");
      }
    }
    return new Outputs(values, tooMany.isEmpty() ? "" : leftOut(tooMany, limit));
  }

  private static String leftOut(List<String> outputs, int limit) {
    String named = String.join(", ", outputs.subList(0, Math.min(NAMED_KEYS, outputs.size())));
    int more = outputs.size() - NAMED_KEYS;
    return "outputs are left out: "
        + named
        + (more > 0 ? " and " + more + " more" : "")
        + "; a task's keys and values may have at most "
        + limit
        + " characters together"
        + REMEDY;
  }

  private static String named(String key) {
    return key.length() <= NAMED_CHARACTERS ? key : Beginning.of(key, NAMED_CHARACTERS) + "…";
  }
}
