package io.tony.eventlog;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What one ApplicationMaster wrote: {@code events.jsonl} of the first, {@code events-N.jsonl} of
 * the Nth.
 */
record LogFile(Path path, int attempt) {
  private static final Pattern NAME = Pattern.compile("events(?:-(\\d{1,9}))?\\.jsonl");

  static Path path(Path folder, int attempt) {
    return new Path(folder, attempt == 1 ? "events.jsonl" : "events-" + attempt + ".jsonl");
  }

  /** Those that a folder holds, in their order; none where there is no folder. */
  static List<LogFile> in(FileSystem fs, Path folder) throws IOException {
    List<LogFile> files = new ArrayList<>();
    try {
      for (FileStatus file : fs.listStatus(folder)) {
        Matcher name = NAME.matcher(file.getPath().getName());
        if (name.matches()) {
          String number = name.group(1);
          files.add(new LogFile(file.getPath(), number == null ? 1 : Integer.parseInt(number)));
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    files.sort(Comparator.comparingInt(LogFile::attempt));
    return files;
  }

  /** Every whole line. The last one may have been cut short, with the process that wrote it. */
  List<String> lines(FileSystem fs) throws IOException {
    List<String> lines = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(fs.open(path), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    }
    if (!lines.isEmpty() && !isEvent(lines.get(lines.size() - 1))) {
      lines.remove(lines.size() - 1);
    }
    return lines;
  }

  private static boolean isEvent(String line) {
    try {
      EventJson.read(line);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
