package io.tony.executor.checkpoint;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file in which a program names its checkpoints, one per line, and returns what is new
 * since the last read. The program may append lines, or overwrite the file with each new line. Not
 * thread-safe.
 */
final class NamedCheckpointReader {
  /** Maximum number of lines that one call of {@link #read} returns, to limit memory. */
  static final int MAX_LINES = 64;

  /** Maximum length of a line; Linux allows no longer path than this. */
  static final int MAX_LINE_BYTES = 4 * 1024;

  private static final int PART_BYTES = 64 * 1024;

  /**
   * Maximum number of parts of {@link #PART_BYTES} that one call of {@link #read} reads, so that
   * the call ends soon however large the file is.
   */
  private static final int MAX_PARTS = 16;

  private final Path file;
  private long position; // end of what was read so far, in bytes
  // bytes of the last line that was read, or of the last part of a line that is too long
  private byte[] lastLine = new byte[0];
  private boolean skippingLine; // true if the rest of a line that is too long must be skipped
  // modification time at the last read; null before the first
  private @Nullable FileTime lastModified;

  NamedCheckpointReader(Path file) {
    this.file = file;
  }

  /**
   * Returns the checkpoints that are named in new lines, at most {@value #MAX_LINES}; the next call
   * returns the following ones. Fast if the file is empty or missing.
   *
   * @param writerEnded true if the program has ended, so that the last line counts even without a
   *     line break
   */
  List<NamedCheckpoint> read(boolean writerEnded) throws IOException {
    if (file.toFile().length() == 0) { // also if the file is missing
      return List.of();
    }
    BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
    // Compare the modification time, too: a line may have been overwritten by one of the same
    // length.
    if (!now.isRegularFile()
        || (now.size() == position && now.lastModifiedTime().equals(lastModified))) {
      return List.of();
    }
    List<NamedCheckpoint> named = new ArrayList<>();
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      if (!isAppended(in, now.size())) {
        position = 0;
        lastLine = new byte[0];
        skippingLine = false;
      }
      for (int parts = 1; readLines(in, writerEnded, named) && parts < MAX_PARTS; parts++) {
        // empty: the condition of the loop reads one part
      }
    }
    lastModified = now.lastModifiedTime();
    return named;
  }

  /**
   * Returns true if the line that was read last is still in its place: the program has only
   * appended to the file. Returns false if the program has overwritten the file.
   */
  private boolean isAppended(RandomAccessFile in, long size) throws IOException {
    return size >= position
        && Arrays.equals(lastLine, part(in, position - lastLine.length, position));
  }

  private static byte[] part(RandomAccessFile in, long start, long end) throws IOException {
    // The end may be before the start if the file was truncated meanwhile.
    byte[] part = new byte[Math.toIntExact(Math.max(0, end - start))];
    in.seek(start);
    int length = Math.max(0, in.read(part));
    return length == part.length ? part : Arrays.copyOf(part, length);
  }

  /**
   * Reads one part of the file and adds its lines to {@code named}. Returns true if the file may
   * have more lines and {@code named} has room.
   */
  private boolean readLines(RandomAccessFile in, boolean writerEnded, List<NamedCheckpoint> named)
      throws IOException {
    byte[] part = part(in, position, Math.min(in.length(), position + PART_BYTES));
    int start = 0;
    for (int i = 0; i < part.length; i++) {
      if (part[i] == '\n') {
        addLine(part, start, i + 1, named);
        skippingLine = false;
        start = i + 1;
        if (named.size() == MAX_LINES) {
          return false;
        }
      }
    }
    boolean more = part.length == PART_BYTES;
    int rest = part.length - start;
    if (rest > 0 && (skippingLine || rest > MAX_LINE_BYTES || (writerEnded && !more))) {
      addLine(part, start, part.length, named);
      skippingLine |= rest > MAX_LINE_BYTES;
    }
    return more && named.size() < MAX_LINES;
  }

  private void addLine(byte[] part, int start, int end, List<NamedCheckpoint> named) {
    position += end - start;
    lastLine = Arrays.copyOfRange(part, start, end);
    if (skippingLine) {
      return;
    }
    int length = Math.min(lastLine.length, MAX_LINE_BYTES);
    String line = new String(lastLine, 0, length, StandardCharsets.UTF_8).strip();
    if (lastLine.length > MAX_LINE_BYTES) {
      named.add(
          new NamedCheckpoint(
              line,
              NamedCheckpoint.NO_STEP,
              "a line of more than "
                  + MAX_LINE_BYTES
                  + " bytes names no file: write into TONY_CHECKPOINT_FILE the paths of checkpoints"
                  + " alone, each in a line of its own"));
    } else if (!line.isEmpty()) {
      named.add(NamedCheckpoint.of(line));
    }
  }
}
