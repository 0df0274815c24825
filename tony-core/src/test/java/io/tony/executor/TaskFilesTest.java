package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TaskFilesTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private TaskFiles files;
  private Path progress;
  private Path outputs;
  private Path stderr;

  @Before
  public void place() throws IOException {
    Path folder = temporary.newFolder("work").toPath();
    Path logs = temporary.newFolder("logs").toPath();
    Files.createDirectories(folder.resolve(".tony"));
    files = new TaskFiles(folder, logs);
    progress = Path.of(files.environment().get("TONY_PROGRESS_FILE"));
    outputs = Path.of(files.environment().get("TONY_OUTPUT_FILE"));
    stderr = logs.resolve("stderr");
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String lines(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "line " + i).collect(Collectors.joining("\n"));
  }

  // ---- Progress ----

  @Test
  public void shouldTellTheLastLineOfProgressOnce() throws IOException {
    assertNull(files.newProgress());
    append(progress, "1/10\n2/10\n");

    assertEquals("2/10", files.newProgress());
    assertNull(files.newProgress());

    append(progress, "3/10 loss 0.31 größer\n");
    assertEquals("3/10 loss 0.31 größer", files.newProgress());
  }

  @Test
  public void shouldReadAProgressFileThatIsWrittenAnewEachTime() throws IOException {
    Files.writeString(progress, "10 %\n");
    assertEquals("10 %", files.newProgress());

    Files.writeString(progress, "20 %\n");

    assertEquals("20 %", files.newProgress());
  }

  @Test
  public void shouldCutALineOfProgressThatIsTooLong() throws IOException {
    append(progress, "x".repeat(2_000) + "\n");

    assertEquals("x".repeat(500), files.newProgress());
  }

  @Test
  public void shouldFindTheLastLineOfALongFile() throws IOException {
    append(progress, lines(0, 100_000) + "\n");

    assertEquals("line 99999", files.newProgress());
  }

  // ---- Outputs ----

  @Test
  public void shouldReadTheProgramsOutputs() throws IOException {
    append(outputs, "auc=0.93\nmodel.path = hdfs://x/y=z \nno pair\n=nameless\nempty=\nauc=0.94");

    assertEquals(
        Map.of("auc", "0.94", "model.path", " hdfs://x/y=z ", "empty", ""), files.outputs());
  }

  @Test
  public void shouldHaveNoOutputsWithoutAFileOrWithOneThatIsTooLarge() throws IOException {
    assertEquals(Map.of(), files.outputs());

    append(outputs, "a=b\n".repeat(65 * 1024));

    assertEquals(Map.of(), files.outputs());
  }

  // ---- The end of stderr ----

  @Test
  public void shouldGiveTheLastLinesOfStderr() throws IOException {
    assertEquals("", files.stderrTail(3));
    append(stderr, "one\n");
    assertEquals("one", files.stderrTail(3));
    append(stderr, lines(0, 100) + "\n");

    assertEquals("line 97\nline 98\nline 99", files.stderrTail(3));
  }

  @Test
  public void shouldGiveNoLineThatIsCutInTheMiddle() throws IOException {
    append(stderr, "first " + "x".repeat(20_000) + "\nsecond\n");

    assertEquals("second", files.stderrTail(10));
  }

  @Test
  public void shouldReadWhatIsNotText() throws IOException {
    byte[] bytes = "größer\n".getBytes(StandardCharsets.ISO_8859_1);
    Files.write(stderr, bytes);

    assertEquals("gr\ufffd\ufffder", files.stderrTail(10));
  }
}
