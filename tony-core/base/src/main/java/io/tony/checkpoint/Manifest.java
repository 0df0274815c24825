package io.tony.checkpoint;

import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Describes one task's part of a checkpoint, and lists its files. The manifest is a text file in
 * the task's folder, written after all of the listed files. Its last line marks the end of the
 * manifest; {@link #read} rejects a text without this line.
 *
 * @param taskCount number of tasks that save a part of the checkpoint; the checkpoint is complete
 *     when all of them have
 * @param number training step if {@code isStep}, else a running number
 * @param isStep whether the program reported a training step for the checkpoint
 * @param createdAt when the program created the checkpoint, by the clock of its node, in
 *     milliseconds
 * @param application id of the YARN application that ran the program
 * @param creator name of the job that created the checkpoint, for messages to users; may be empty
 * @param trainingHash hash of the framework, commands, environment and files with which the
 *     checkpoint was made; by default, a job with another hash does not resume from the checkpoint
 * @param name name of the file or folder that the program saved, without parent folders
 * @param isFolder whether the program saved a folder instead of a single file
 * @param files all saved files; each path begins with {@code name}
 */
public record Manifest(
    TaskId task,
    int taskCount,
    long number,
    boolean isStep,
    Instant createdAt,
    String application,
    String creator,
    String trainingHash,
    String name,
    boolean isFolder,
    List<CheckpointFile> files) {
  /** Name of the manifest in the task's folder. */
  public static final String FILE = "manifest";

  /**
   * Name of the folder beside the manifest that holds the file or folder that the program saved.
   */
  public static final String DATA = "data";

  /**
   * Name of the folder inside the job's checkpoint folder that contains all checkpoints that TonY
   * saves.
   */
  public static final String FOLDER = ".tony";

  /**
   * Maximum size of a manifest in bytes. {@link #read} is called in processes with a small heap, so
   * larger manifests are rejected.
   */
  public static final int MAX_BYTES = 8 << 20;

  /** Maximum length of a file name in bytes, as in most file systems. */
  public static final int MAX_NAME_BYTES = 255;

  private static final Instant MIN_CREATED_AT = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant MAX_CREATED_AT = Instant.parse("9999-12-31T23:59:59.999Z");
  private static final Pattern TEMPORARY_NAME = Pattern.compile("\\.(.+-\\d+)-container_.*");
  private static final String VERSION = "1";
  private static final String END = "end";

  public Manifest {
    createdAt = createdAt.truncatedTo(ChronoUnit.MILLIS);
    application = oneLine(application);
    creator = oneLine(creator);
    trainingHash = oneLine(trainingHash);
    files = List.copyOf(files);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ").strip();
  }

  /** Returns the name of the folder with a task's part, inside the folder of the checkpoint. */
  public static String folderOf(TaskId task) {
    return task.role() + "-" + task.index();
  }

  /**
   * Returns the name of a temporary folder into which a container copies its task's part of a
   * checkpoint. The folder is renamed to {@code folder} when the copy is complete. Every call
   * returns a different name, because an earlier, abandoned copy may still write to its temporary
   * folder, or delete it.
   *
   * @param container id of the container that copies
   */
  public static String temporaryName(String folder, String container) {
    return "." + folder + "-" + container + "-" + UUID.randomUUID();
  }

  /**
   * Returns the {@code folder} for which {@link #temporaryName} created this name; empty if the
   * text is not such a name.
   */
  public static Optional<String> finalName(String temporaryName) {
    Matcher name = TEMPORARY_NAME.matcher(temporaryName);
    return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
  }

  /** Returns a copy of this manifest that lists these files. */
  public Manifest withFiles(List<CheckpointFile> contents) {
    return new Manifest(
        task,
        taskCount,
        number,
        isStep,
        createdAt,
        application,
        creator,
        trainingHash,
        name,
        isFolder,
        contents);
  }

  /** Returns the total size of all files in bytes. */
  public long bytes() {
    return files.stream().mapToLong(CheckpointFile::bytes).sum();
  }

  public String write() {
    StringBuilder text = new StringBuilder(256);
    line(text, "version", VERSION);
    line(text, "task", task.toString());
    line(text, "tasks", Integer.toString(taskCount));
    line(text, "number", Long.toString(number));
    line(text, "step", Boolean.toString(isStep));
    line(text, "made", createdAt.toString());
    line(text, "application", application);
    line(text, "maker", creator);
    line(text, "training", trainingHash);
    line(text, "name", name);
    line(text, "kind", isFolder ? "folder" : "file");
    for (CheckpointFile file : files) {
      line(
          text,
          "file",
          file.bytes() + " " + HexFormat.of().toHexDigits(file.crc()) + " " + file.path());
    }
    return text.append(END).append('\n').toString();
  }

  private static void line(StringBuilder text, String key, String value) {
    text.append(key).append(": ").append(value).append('\n');
  }

  /**
   * Parses the text that {@link #write} returns. Ignores unknown keys, which a later version of
   * TonY may have added.
   *
   * @throws IOException if the text is truncated or malformed; the message gives the reason
   */
  public static Manifest read(String text) throws IOException {
    if (!text.endsWith("\n" + END + "\n")) {
      throw new IOException("it breaks off: its last line is not '" + END + "'");
    }
    Map<String, String> values = new HashMap<>();
    List<CheckpointFile> files = new ArrayList<>();
    int end = text.length() - END.length() - 2;
    for (int begin = 0, next; begin <= end; begin = next + 1) {
      next = text.indexOf('\n', begin);
      String line = text.substring(begin, next);
      int colon = line.indexOf(": ");
      if (colon < 1) {
        throw new IOException("not a line 'key: value': '" + line + "'");
      }
      String value = line.substring(colon + 2);
      if (line.startsWith("file: ")) {
        files.add(file(value));
      } else {
        values.put(line.substring(0, colon), value);
      }
    }
    try {
      return of(values, files);
    } catch (IllegalArgumentException | DateTimeParseException e) {
      throw new IOException("it cannot be read: " + e.getMessage(), e);
    }
  }

  private static CheckpointFile file(String value) throws IOException {
    String[] parts = value.split(" ", 3);
    try {
      long bytes = Long.parseLong(parts[0]);
      if (bytes < 0) {
        throw new IllegalArgumentException("fewer bytes than none");
      }
      return new CheckpointFile(parts[2], bytes, HexFormat.fromHexDigits(parts[1]));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IOException("not a file's bytes, CRC and path: '" + value + "'", e);
    }
  }

  private static Manifest of(Map<String, String> values, List<CheckpointFile> files)
      throws IOException {
    String version = required(values, "version");
    if (!version.equals(VERSION)) {
      throw new IOException("it has version " + version + ", and this TonY reads " + VERSION);
    }
    Manifest read =
        new Manifest(
            TaskId.parse(required(values, "task")),
            Integer.parseInt(required(values, "tasks")),
            Long.parseLong(required(values, "number")),
            Boolean.parseBoolean(required(values, "step")),
            Instant.parse(required(values, "made")),
            required(values, "application"),
            required(values, "maker"),
            required(values, "training"),
            required(values, "name"),
            required(values, "kind").equals("folder"),
            files);
    read.checkValues();
    for (CheckpointFile file : files) {
      read.checkPath(file.path());
    }
    return read;
  }

  /**
   * Throws if a number or time is out of range, so that readers can calculate with these values
   * without overflow.
   */
  private void checkValues() throws IOException {
    if (taskCount < 1 || number < 0 || number > CheckpointName.MAX_NUMBER) {
      throw new IOException("no checkpoint has number " + number + " of " + taskCount + " tasks");
    }
    if (createdAt.isBefore(MIN_CREATED_AT) || createdAt.isAfter(MAX_CREATED_AT)) {
      throw new IOException("it cannot have been made at " + createdAt);
    }
    if (!isName(name)) {
      throw new IOException("not the name of a file: '" + name + "'");
    }
  }

  private static String required(Map<String, String> values, String key) throws IOException {
    String value = values.get(key);
    if (value == null) {
      throw new IOException("it has no line '" + key + ": '");
    }
    return value;
  }

  /**
   * Throws if the path is not inside the file or folder {@code name} that the program saved:
   * restoring the checkpoint must not write to other places.
   */
  private void checkPath(String path) throws IOException {
    boolean within = isFolder ? path.startsWith(name + "/") : path.equals(name);
    if (!within || !isPath(path)) {
      throw new IOException("'" + path + "' is not a file of '" + name + "'");
    }
  }

  /**
   * Returns true if a file of a checkpoint may have this path, relative to the folder {@link
   * #DATA}.
   */
  public static boolean isPath(String path) {
    for (String part : path.split("/", -1)) {
      if (!isName(part)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns true if a file or folder in a checkpoint may have this name. Rejects colons, which HDFS
   * does not allow, and control characters, which would break the manifest's format of one line per
   * file.
   */
  private static boolean isName(String text) {
    return !text.isEmpty()
        && !text.equals(".")
        && !text.equals("..")
        && text.chars().noneMatch(c -> c == '/' || c == ':' || Character.isISOControl(c))
        && text.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
  }
}
