package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LogTailTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final List<String> given = new ArrayList<>();
  private FileSystem fs;
  private LogTail tail;

  @Before
  public void begin() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    tail = new LogTail(fs, new Path(folder.getRoot().toURI()));
  }

  private static String line(int number, boolean more) {
    return EventJson.write(
        new JobEvent(
            Instant.EPOCH,
            JobEvent.Type.TASK_PROGRESS,
            0,
            new TaskId("worker", 0),
            Map.of("text", "größer " + number)),
        more);
  }

  private static String line(int number) {
    return line(number, false);
  }

  private void write(String file, String... lines) throws IOException {
    append(file, String.join("\n", lines) + "\n");
  }

  private void append(String file, String text) throws IOException {
    Files.writeString(
        folder.getRoot().toPath().resolve(file),
        text,
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void give(String line, JobEvent event) throws IOException {
    assertEquals(event, EventJson.read(line));
    given.add(line);
  }

  private void assertGiven(String... lines) throws IOException {
    given.clear();
    tail.read(this::give);
    assertEquals(Arrays.asList(lines), given);
  }

  @Test
  public void shouldGiveEachTimeWhatIsNew() throws IOException {
    assertGiven();
    write("events.jsonl", line(0), line(1));
    assertGiven(line(0), line(1));
    assertGiven();
    write("events.jsonl", line(2));
    assertGiven(line(2));
  }

  @Test
  public void shouldGiveADecisionOnlyAsAWhole() throws IOException {
    write("events.jsonl", line(0), line(1, true));
    assertGiven(line(0));
    append("events.jsonl", line(2).substring(0, 20));
    assertGiven();
    append("events.jsonl", line(2).substring(20));
    assertGiven(line(1, true), line(2));
    append("events.jsonl", "\n" + line(3) + "\n");
    assertGiven(line(3));
  }

  /** An open file of this machine shows what is added to it; that of HDFS does not. */
  @Test
  public void shouldNotTakeHalfALineForOneThatIsWhole() throws IOException {
    write("events.jsonl", line(0));
    GrowingFiles files = new GrowingFiles();
    tail = new LogTail(files, new Path(folder.getRoot().toURI()));
    assertGiven(line(0));

    append("events.jsonl", line(1).substring(0, 20));
    files.writer = () -> append(line(1).substring(20) + "\n" + line(2) + "\n");
    assertGiven();
    assertGiven(line(1), line(2));
  }

  private void append(String text) {
    try {
      append("events.jsonl", text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Local files to which something is added once when the end of one was read. */
  private static final class GrowingFiles extends FilterFileSystem {
    private Runnable writer;

    GrowingFiles() throws IOException {
      super(FileSystem.getLocal(new Configuration()).getRawFileSystem());
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
      FSDataInputStream in = super.open(file, buffer);
      return new FSDataInputStream(new Growing(in));
    }

    private final class Growing extends FSInputStream {
      private final FSDataInputStream in;

      Growing(FSDataInputStream in) {
        this.in = in;
      }

      @Override
      public int read() throws IOException {
        throw new UnsupportedOperationException();
      }

      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        int read = in.read(bytes, from, length);
        if (read < 0 && writer != null) {
          writer.run();
          writer = null;
        }
        return read;
      }

      @Override
      public void seek(long position) throws IOException {
        in.seek(position);
      }

      @Override
      public long getPos() throws IOException {
        return in.getPos();
      }

      @Override
      public boolean seekToNewSource(long position) {
        return false;
      }

      @Override
      public void close() throws IOException {
        in.close();
      }
    }
  }

  @Test
  public void shouldGoOnWithTheNextApplicationMaster() throws IOException {
    write("events.jsonl", line(0), line(1, true));
    assertGiven(line(0));
    append("events-2.jsonl", "");
    assertGiven();
    write("events-2.jsonl", line(5));
    assertGiven(line(5));
    write("events-10.jsonl", line(6));
    assertGiven(line(6));
  }

  /** Whoever begins the next file has closed this one, perhaps a moment after it was looked at. */
  @Test
  public void shouldReadAFileToItsEndBeforeTheNext() throws IOException {
    write("events.jsonl", line(0));
    assertGiven(line(0));
    write("events.jsonl", line(1));
    write("events-2.jsonl", line(2));
    assertGiven(line(1), line(2));
  }

  @Test
  public void shouldGiveOnceWhatWasWrittenTwice() throws IOException {
    write("events.jsonl", line(0), line(1), line(2));
    assertGiven(line(0), line(1), line(2));
    write("events.1.jsonl", EventJson.withNumber(line(1), 1), line(2), line(3));
    assertGiven(line(3));
  }

  @Test
  public void shouldPassOverAFileBeforeWhichLinesAreMissing() throws IOException {
    write("events.jsonl", line(0));
    write("events.1.jsonl", EventJson.withNumber(line(7), 7), line(8));
    assertGiven(line(0));
    write("events-2.jsonl", EventJson.withNumber(line(1), 1));
    assertGiven(EventJson.withNumber(line(1), 1));
  }

  @Test
  public void shouldGiveNothingWhereNothingIsLeft() throws IOException {
    write("events.jsonl", line(0), line(1));
    assertGiven(line(0), line(1));
    Files.writeString(folder.getRoot().toPath().resolve("events.jsonl"), line(0) + "\n");
    assertGiven();
  }

  @Test
  public void shouldGiveALongLogInParts() throws IOException {
    write("events.jsonl", line(0, true), line(1), line(2), line(3));
    write("events-2.jsonl", line(4));
    assertFalse(tail.read(line(0).length(), this::give));
    assertEquals("whole decisions", List.of(line(0, true), line(1)), given);
    assertFalse(tail.read(1, this::give));
    assertEquals(3, given.size());
    assertTrue(tail.read(Long.MAX_VALUE, this::give));
    assertEquals(5, given.size());
  }

  /** What stands behind it was not known to be written, and is in the next file. */
  @Test
  public void shouldGoOnInTheNextFileBehindALineThatIsNoEvent() throws IOException {
    write("events.jsonl", line(0), line(1, true), line(2).substring(0, 20));
    write("events.jsonl", line(3));
    assertGiven(line(0));
    write("events.jsonl", line(4));
    assertGiven();
    write("events.1.jsonl", EventJson.withNumber(line(1), 1), line(5));
    assertGiven(EventJson.withNumber(line(1), 1), line(5));
  }

  /** As a takeover, which reads up to the first event that is missing. */
  @Test
  public void shouldPassOverAFileAfterADamagedOneThatLacksItsLines() throws IOException {
    write("events.jsonl", line(0), "\0\0\0", line(2));
    write("events.1.jsonl", EventJson.withNumber(line(3), 3), line(4));
    assertGiven(line(0));
    write("events-2.jsonl", EventJson.withNumber(line(5), 1));
    assertGiven(EventJson.withNumber(line(5), 1));
    assertEquals(
        List.of(0, 5),
        WholeLog.read(fs, new Path(folder.getRoot().toURI())).stream()
            .map(event -> Integer.valueOf(event.details().get("text").substring(7)))
            .toList());
  }

  @Test
  public void shouldTakeALineThatHoldsNothingForDamage() throws IOException {
    append("events.jsonl", line(0) + "\n\n");
    assertGiven(line(0));
    assertFalse(tail.isDamaged());
    append("events.jsonl", line(1) + "\n");
    assertGiven();
    assertTrue(tail.isDamaged());
    write("events-2.jsonl", line(2));
    assertGiven(line(2));
    assertFalse(tail.isDamaged());
  }

  @Test
  public void shouldReadNoLogOfMoreFilesThanAreWritten() throws IOException {
    for (int i = 0; i <= LogFile.MAX_FILES; i++) {
      append("events-" + (i + 1) + ".jsonl", "");
    }
    UnreadableLogException files =
        assertThrows(UnreadableLogException.class, () -> tail.read(this::give));
    assertTrue(files.getMessage(), files.getMessage().contains("more than 1000 files"));
  }

  @Test
  public void shouldTakeNoLineIntoMemoryThatIsLongerThanAnyThatIsWritten() throws IOException {
    write("events.jsonl", line(0), line(1));
    append("events.jsonl", "x".repeat(LineReader.MAX_LINE_BYTES + 1));
    UnreadableLogException line =
        assertThrows(UnreadableLogException.class, () -> tail.read(this::give));
    assertTrue(line.getMessage(), line.getMessage().contains("longer than 1 MiB"));
  }

  @Test
  public void shouldTakeNoDecisionIntoMemoryThatIsLongerThanAnyThatIsWritten() throws IOException {
    String part = line(0, true).replace("größer", "x".repeat(LineReader.MAX_LINE_BYTES - 1_000));
    write("events.jsonl", line(0));
    for (int size = 0;
        size <= DecisionReader.MAX_DECISION_SIZE;
        size += LineReader.MAX_LINE_BYTES - 1_000) {
      write("events.jsonl", part);
    }
    assertUnreadable(line(0));
  }

  /** Each is a text, a record and a place in a list: it costs much more than its characters. */
  @Test
  public void shouldTakeNoDecisionOfMoreLinesThanAnyThatIsWritten() throws IOException {
    write("events.jsonl", line(0));
    append("events.jsonl", "{\"more\":true}\n".repeat(DecisionReader.MAX_LINES + 1));
    assertUnreadable(line(0));
  }

  private void assertUnreadable(String... before) {
    UnreadableLogException decision =
        assertThrows(UnreadableLogException.class, () -> tail.read(this::give));
    assertTrue(
        decision.getMessage(),
        decision.getMessage().contains("longer than 32 MiB or 100000 lines"));
    assertEquals("what stands before it", List.of(before), given);
  }

  /** It is held in memory no more than a line at a time, and read twice. */
  @Test
  public void shouldGiveALargeDecisionAsAWhole() throws IOException {
    String[] lines = new String[2 * DecisionReader.MAX_BUFFERED_SIZE / line(0, true).length()];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = line(i, i + 2 < lines.length);
    }
    write("events.jsonl", Arrays.copyOf(lines, lines.length - 2));
    assertGiven();
    write("events.jsonl", lines[lines.length - 2], lines[lines.length - 1]);
    assertGiven(lines);
  }

  @Test
  public void shouldOpenFewFilesAtALookHoweverManyAreEmpty() throws IOException {
    int[] opened = {0};
    FileSystem counting =
        new FilterFileSystem(FileSystem.getLocal(new Configuration()).getRawFileSystem()) {
          @Override
          public FSDataInputStream open(Path path, int size) throws IOException {
            opened[0]++;
            return super.open(path, size);
          }
        };
    tail = new LogTail(counting, new Path(folder.getRoot().toURI()));
    for (int i = 0; i < 50; i++) {
      append("events-" + (i + 1) + ".jsonl", "");
    }
    assertGiven();
    assertEquals(LogTail.MAX_OPENED_FILES, opened[0]);
    write("events-50.jsonl", line(2));
    write("events-3.jsonl", line(0), line(1)); // it was looked at
    assertGiven();
    assertGiven(line(0), line(1));
    assertGiven();
    assertGiven(line(2));
  }

  @Test
  public void shouldReadTheLongestLineThatMayBeWritten() throws IOException {
    String frame = line(0).replace("größer 0", "");
    String longest =
        line(0).replace("größer 0", "x".repeat(LineReader.MAX_LINE_BYTES - frame.length()));
    write("events.jsonl", longest, line(1));
    assertGiven(longest, line(1));
  }

  @Test
  public void shouldReadNoFolderOfMoreEntriesThanAnApplicationMasterMakes() throws IOException {
    write("events.jsonl", line(0));
    int[] entries = {10_000};
    FileSystem crowded =
        new FilterFileSystem(fs) {
          @Override
          public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
            FileStatus log = super.listStatusIterator(path).next();
            FileStatus note = new FileStatus(0, false, 1, 1, 0, new Path(path, "note"));
            return RemoteIterators.remoteIteratorFromIterable(
                () -> IntStream.range(0, entries[0]).mapToObj(i -> i == 0 ? log : note).iterator());
          }
        };
    tail = new LogTail(crowded, new Path(folder.getRoot().toURI()));
    assertGiven(line(0));

    entries[0]++;

    UnreadableLogException refused =
        assertThrows(UnreadableLogException.class, () -> tail.read(this::give));
    assertTrue(refused.getMessage(), refused.getMessage().contains("more than 10000 files"));
  }

  /** A follower looks once a second, for months. */
  @Test
  public void shouldLeaveNoFileOpen() throws IOException {
    CountedFiles files = new CountedFiles();
    tail = new LogTail(files, new Path(folder.getRoot().toURI()));
    write("events.jsonl", line(0), line(1, true));
    assertGiven(line(0));
    assertEquals(0, files.open);

    Files.writeString(folder.getRoot().toPath().resolve("events.jsonl"), "\n");
    assertGiven();
    assertEquals("of one that is shorter now", 0, files.open);

    append("events-2.jsonl", "x".repeat(LineReader.MAX_LINE_BYTES + 1));
    assertThrows(UnreadableLogException.class, () -> tail.read(this::give));
    assertEquals("of one that nobody reads", 0, files.open);
    assertTrue(files.opened > 3);
  }

  @Test
  public void shouldSayWhereALargeDecisionIsGoneBeforeItIsGiven() throws IOException {
    String[] lines = new String[2 * DecisionReader.MAX_BUFFERED_SIZE / line(0, true).length()];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = line(i, i + 1 < lines.length);
    }
    write("events.jsonl", lines);
    Path file = new Path(folder.getRoot().toURI() + "/events.jsonl");
    try (DecisionReader in = new DecisionReader(fs, file, 0)) {
      assertTrue(in.next());
      Files.writeString(folder.getRoot().toPath().resolve("events.jsonl"), lines[0] + "\n");

      IOException gone =
          assertThrows(IOException.class, () -> in.readLines((line, offset) -> given.add(line)));

      assertTrue(
          gone.getMessage(), gone.getMessage().endsWith("is shorter than it was a moment ago"));
      assertEquals(List.of(lines[0]), given);
    }
  }

  @Test
  public void shouldSayWhereALineIsGoneThatWasSafe() throws IOException {
    write("events.jsonl", line(0), line(1));
    Path file = new Path(folder.getRoot().toURI() + "/events.jsonl");
    LineIndex lines = new LineIndex(fs);
    lines.begin(file);
    lines.add(0);
    lines.add(line(0).getBytes(StandardCharsets.UTF_8).length + 1);
    assertEquals("no more than is wanted", List.of(line(0)), lines.read(0, line(0).length()));
    assertEquals(List.of(line(0), line(1)), lines.read(0, line(0).length() + 1));
    Files.writeString(folder.getRoot().toPath().resolve("events.jsonl"), line(0) + "\n");

    IOException gone = assertThrows(IOException.class, () -> lines.read(1, 1));

    assertEquals("line 1 of the event log is not in " + file + " any more", gone.getMessage());
  }

  /**
   * Local files, counted while they are open; behind the end of one there is nothing, as in HDFS.
   */
  private static final class CountedFiles extends FilterFileSystem {
    private int open;
    private int opened;

    CountedFiles() throws IOException {
      super(FileSystem.getLocal(new Configuration()).getRawFileSystem());
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
      long length = getFileStatus(file).getLen();
      FSDataInputStream in = super.open(file, buffer);
      open++;
      opened++;
      return new FSDataInputStream(in) {
        @Override
        public void seek(long position) throws IOException {
          if (position > length) {
            throw new EOFException("Cannot seek after EOF");
          }
          super.seek(position);
        }

        @Override
        public void close() throws IOException {
          super.close();
          open--;
        }
      };
    }
  }
}
