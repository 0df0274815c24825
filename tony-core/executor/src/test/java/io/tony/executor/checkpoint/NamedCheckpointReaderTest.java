package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class NamedCheckpointReaderTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path file;
  private NamedCheckpointReader lines;

  @Before
  public void begin() {
    file = temporary.getRoot().toPath().resolve("named");
    lines = new NamedCheckpointReader(file);
  }

  private void append(String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private List<String> paths(boolean ended) throws IOException {
    return lines.read(ended).stream().map(NamedCheckpoint::path).toList();
  }

  @Test
  public void shouldReadEachLineOnceAndWhenItIsComplete() throws IOException {
    assertEquals(List.of(), paths(false));
    append("a\n\nb\nc");
    assertEquals(List.of("a", "b"), paths(false));
    assertEquals(List.of(), paths(false));
    append("d\n \n");
    assertEquals(List.of("cd"), paths(false));
    append("e");
    assertEquals(List.of(), paths(false));
    assertEquals(List.of("e"), paths(true));
    assertEquals(List.of(), paths(true));
  }

  @Test
  public void shouldTakeTheLastWordForTheStep() {
    assertEquals(new NamedCheckpoint("out/a b", 12), NamedCheckpoint.of("out/a b step=12"));
    assertEquals(
        new NamedCheckpoint("a", 999_999_999_999L), NamedCheckpoint.of("a\tstep=999999999999"));
    for (String path : List.of("a", "step=5", "a step=", "a step=x", "a step=1234567890123")) {
      assertEquals(new NamedCheckpoint(path, NamedCheckpoint.NO_STEP), NamedCheckpoint.of(path));
    }
    assertEquals(new NamedCheckpoint("a step=1", 2), NamedCheckpoint.of("a step=1 step=2"));
  }

  @Test
  public void shouldReadAFileThatIsWrittenAnew() throws IOException {
    append("ckpt-1\n");
    assertEquals(List.of("ckpt-1"), paths(false));
    Files.writeString(file, "ckpt-10\n");
    assertEquals("longer than before", List.of("ckpt-10"), paths(false));
    Files.writeString(file, "c\n");
    assertEquals("shorter than before", List.of("c"), paths(false));
    Files.delete(file);
    assertEquals(List.of(), paths(false));
    append("next\n");
    assertEquals(List.of("next"), paths(false));
  }

  @Test
  public void shouldReadAFewLinesAtATime() throws IOException {
    List<String> many = IntStream.range(0, 8_000).mapToObj(i -> "checkpoint-" + i).toList();
    append(String.join("\n", many));
    for (int i = 0; i < many.size(); i += NamedCheckpointReader.MAX_LINES) {
      List<String> next =
          many.subList(i, Math.min(i + NamedCheckpointReader.MAX_LINES, many.size() - 1));
      assertEquals(next, paths(false));
    }
    assertEquals(List.of(), paths(false));
    assertEquals(List.of("checkpoint-7999"), paths(true));
  }

  @Test
  public void shouldSeeALineOfTheSameLengthInThePlaceOfTheLast() throws IOException {
    append("ckpt-1\n");
    FileTime first = Files.getLastModifiedTime(file);
    assertEquals(List.of("ckpt-1"), paths(false));

    Files.writeString(file, "ckpt-2\n");
    Files.setLastModifiedTime(file, FileTime.fromMillis(first.toMillis() + 1));
    assertEquals(List.of("ckpt-2"), paths(false));

    Files.setLastModifiedTime(file, FileTime.fromMillis(first.toMillis() + 2));
    assertEquals("the same line", List.of(), paths(false));
  }

  @Test
  public void shouldReadAPathAsLongAsPathsAre() throws IOException {
    String path = "x".repeat(NamedCheckpointReader.MAX_LINE_BYTES - 1);
    append(path + "\n");
    assertEquals(List.of(new NamedCheckpoint(path, NamedCheckpoint.NO_STEP)), lines.read(false));
  }

  @Test
  public void shouldRefuseALineThatIsTooLongOnceAndAtOnce() throws IOException {
    append("x".repeat(NamedCheckpointReader.MAX_LINE_BYTES + 1));
    NamedCheckpoint refused = lines.read(false).get(0);
    assertTrue(refused.problem(), refused.problem().startsWith("a line of more than 4096 bytes"));
    assertEquals("x".repeat(NamedCheckpointReader.MAX_LINE_BYTES), refused.path());

    append("x".repeat(200_000));
    assertEquals("of the same line", List.of(), paths(false));
    append("x\ny\n");
    assertEquals(List.of("y"), paths(false));

    append("x".repeat(200_000) + "\nz\n");
    assertEquals(2, paths(false).size());
  }

  /** Also one of a petabyte, which is made in no time. */
  @Test
  public void shouldReadALittleOfALargeFileAtALook() throws IOException {
    append("x".repeat((1 << 20) + 100) + "\ny\n");
    assertTrue(lines.read(false).get(0).problem().startsWith("a line of more than"));
    assertEquals("the rest, at the next look", List.of("y"), paths(false));

    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(1L << 40);
    }
    assertEquals(1, lines.read(true).size());
    assertEquals(List.of(), lines.read(true));
  }

  @Test
  public void shouldLeaveWhatIsNoFile() throws Exception {
    NamedPipe.make(file);
    assertEquals(List.of(), paths(true));
  }
}
