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
 * What a task's checkpoint is, and of which files it consists: written as a text beside them, when
 * they are all there. A text that was cut off is told by its last line, which is missing.
 *
 * @param taskCount how many tasks keep a checkpoint of this number: the set is whole with all of
 *     them
 * @param number the step that the program named, where {@code step}; else a count
 * @param createdAt when the program named it, by its node's clock, in milliseconds
 * @param application that ran the program
 * @param creator the same for people; may be empty
 * @param trainingHash a hash of what trains: another one's checkpoint may be of no use
 * @param name of the file or folder, without its folders
 * @param isFolder whether it is a folder
 * @param files their paths begin with the name
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
  /** Its name, in the folder of a task. */
  public static final String FILE = "manifest";

  /** Name of the folder beside it, in which the file or folder lies. */
  public static final String DATA = "data";

  /** Name of the folder of all sets, in the job's folder for checkpoints. */
  public static final String FOLDER = ".tony";

  /** A longer text is none of ours: who reads one has little memory. */
  public static final int MAX_BYTES = 8 << 20;

  /** Of a name in a path: no file system has longer ones. */
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

  /** Name of the task's folder in that of a set. */
  public static String folderOf(TaskId task) {
    return task.role() + "-" + task.index();
  }

  /**
   * Name of the folder that becomes {@code folder} of a task when all is in it. It is no other
   * copy's: one that was given up may still write, and deletes what it wrote.
   */
  public static String temporaryName(String folder, String container) {
    return "." + folder + "-" + container + "-" + UUID.randomUUID();
  }

  /** The task's folder that one of such a name is to become; empty where the name is another. */
  public static Optional<String> finalName(String temporaryName) {
    Matcher name = TEMPORARY_NAME.matcher(temporaryName);
    return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
  }

  /** The same, with what it consists of. */
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

  /** Of all its files. */
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
   * Reads what {@link #write} wrote. Lines that a later version has added are passed over.
   *
   * @throws IOException that says what is wrong with it
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

  /** Numbers and times are reckoned with by who reads it. */
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

  /** Nothing is ever written outside of the folder for it. */
  private void checkPath(String path) throws IOException {
    boolean within = isFolder ? path.startsWith(name + "/") : path.equals(name);
    if (!within || !isPath(path)) {
      throw new IOException("'" + path + "' is not a file of '" + name + "'");
    }
  }

  /** Whether files of a checkpoint may have this path, from the folder of the data on. */
  public static boolean isPath(String path) {
    for (String part : path.split("/", -1)) {
      if (!isName(part)) {
        return false;
      }
    }
    return true;
  }

  /** HDFS has no colons; a manifest has a file in each line. */
  private static boolean isName(String text) {
    return !text.isEmpty()
        && !text.equals(".")
        && !text.equals("..")
        && text.chars().noneMatch(c -> c == '/' || c == ':' || Character.isISOControl(c))
        && text.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
  }
}
