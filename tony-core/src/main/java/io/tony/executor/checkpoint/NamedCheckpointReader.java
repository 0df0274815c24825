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

/**
 * The file in which a program names its checkpoints, a line for each. A program that writes it anew
 * instead, with another line, is understood as well.
 */
final class NamedCheckpointReader {
  /** At a time: whatever a program writes into the file, little of it is in memory. */
  static final int MAX_LINES = 64;

  /** No path is longer. */
  static final int MAX_LINE_BYTES = 4 * 1024;

  private static final int PART_BYTES = 64 * 1024;

  /** At a look: a file may be as large as its program likes, and this thread must end in time. */
  private static final int MAX_PARTS = 16;

  private final Path file;
  private long position; // behind what was read last
  private byte[] lastLine = new byte[0]; // that line, or part of one
  private boolean skippingLine; // the line at the position is refused already, up to its line break
  private FileTime lastModified; // at the last look; null before the first

  NamedCheckpointReader(Path file) {
    this.file = file;
  }

  /**
   * The lines that are new; the first {@value #MAX_LINES} of them at most, and the others the next
   * time. Takes one look at the file's size where there is none.
   *
   * @param writerEnded nobody writes any more: what comes last is a line without a line break, too
   */
  List<NamedCheckpoint> read(boolean writerEnded) throws IOException {
    if (file.toFile().length() == 0) { // also where there is no file
      return List.of();
    }
    BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
    // A line may have taken the place of another one of the same length: the time tells.
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
        // a part of the file at a time
      }
    }
    lastModified = now.lastModifiedTime();
    return named;
  }

  /** Whether the line that was read last is where it was. */
  private boolean isAppended(RandomAccessFile in, long size) throws IOException {
    return size >= position
        && Arrays.equals(lastLine, part(in, position - lastLine.length, position));
  }

  private static byte[] part(RandomAccessFile in, long start, long end) throws IOException {
    // The file may have been cut off since its length was asked for.
    byte[] part = new byte[Math.toIntExact(Math.max(0, end - start))];
    in.seek(start);
    int length = Math.max(0, in.read(part));
    return length == part.length ? part : Arrays.copyOf(part, length);
  }

  /** True when there may be more, and there is room for it. */
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
