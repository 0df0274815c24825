package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TaskFilesTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path folder;
  private Path logs;
  private TaskFiles files;
  private Path progress;
  private Path outputs;
  private Path stdout;
  private Path stderr;

  @Before
  public void place() throws IOException {
    folder = temporary.newFolder("work").toPath();
    logs = temporary.newFolder("logs").toPath();
    files = TaskFiles.prepare(folder, logs);
    progress = Path.of(files.environment().get("TONY_PROGRESS_FILE"));
    outputs = Path.of(files.environment().get("TONY_OUTPUT_FILE"));
    stdout = logs.resolve("stdout");
    stderr = logs.resolve("stderr");
  }

  private String stderrTail() throws IOException {
    return String.join("\n", files.stderrTail());
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String lines(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "line " + i).collect(Collectors.joining("\n"));
  }

  // ---- What it is told ----

  @Test
  public void shouldTellTheGangOfThisProgram() throws IOException {
    files.writeClusterSpec("{\"worker\":[\"größe:1\"]}");

    Path told = Path.of(files.environment().get("TONY_CLUSTER_SPEC_FILE"));
    assertEquals("{\"worker\":[\"größe:1\"]}", Files.readString(told));

    TaskFiles next = TaskFiles.prepare(folder, logs);
    next.writeClusterSpec("");
    assertFalse(next.environment().containsKey("TONY_CLUSTER_SPEC_FILE"));
    assertFalse(Files.exists(told));
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

  @Test
  public void shouldNotTellALineThatIsBeingWritten() throws IOException {
    append(progress, "1/10\n2/1");
    assertEquals("1/10", files.newProgress());
    assertNull(files.newProgress());

    append(progress, "0\n");

    assertEquals("2/10", files.newProgress());
  }

  @Test
  public void shouldTellTheLastVersionOfALineThatIsDrawnAgain() throws IOException {
    append(progress, "\r\u001b[1m10%\u001b[0m\r20%");
    assertEquals("10%", files.newProgress());

    append(progress, "\r\u001b[1m30%\u001b[0m\r");
    assertEquals("30%", files.newProgress());
  }

  @Test
  public void shouldTellALastLineWithoutAnEndWhenNobodyWritesAnyMore() throws IOException {
    append(progress, "9/10\n10/10 done");
    assertEquals("9/10", files.newProgress());

    assertEquals("10/10 done", files.lastProgress());
  }

  @Test
  public void shouldPassOverEmptyLinesAfterTheLastProgress() throws IOException {
    append(progress, "7999/8000\n8000/8000\n\n  \n");

    assertEquals("8000/8000", files.newProgress());
    assertEquals("8000/8000", files.lastProgress());
  }

  @Test
  public void shouldNotCutALetterOfProgressInTwo() throws IOException {
    append(progress, "x".repeat(499) + "🚀🚀\n");

    assertEquals("x".repeat(499), files.newProgress());
  }

  // ---- What is no file ----

  /** Nobody reads a pipe or a device to its end. */
  @Test(timeout = 10_000)
  public void shouldTakeAPipeOrADeviceForNoFile() throws Exception {
    for (Path file : List.of(progress, outputs, stdout, stderr)) {
      NamedPipe.make(file);
    }
    assertSaysNothing();

    for (Path file : List.of(progress, outputs, stdout, stderr)) {
      Files.delete(file);
      Files.createSymbolicLink(file, Path.of("/dev/zero"));
    }
    assertSaysNothing();

    for (Path file : List.of(progress, outputs, stdout, stderr)) {
      Files.delete(file);
      Files.createDirectory(file);
    }
    assertSaysNothing();
  }

  private void assertSaysNothing() throws IOException {
    assertNull(files.newProgress());
    assertEquals("", files.lastProgress());
    assertEquals(Map.of(), files.outputs().values());
    assertEquals(
        "all outputs are left out: TONY_OUTPUT_FILE is a pipe, a device or a folder now",
        files.outputs().omissions());
    assertEquals(List.of(), files.stderrTail());
    assertNull(files.modelParameters().value());
    files.marks();
    TaskFiles.prepare(folder, logs);
    assertFalse("what an earlier program left is deleted", Files.exists(progress));
    Files.createFile(progress);
    Files.createFile(outputs);
  }

  /** A program's files may be as large as its disk: the executor reads their ends. */
  @Test(timeout = 30_000)
  public void shouldReadLittleOfFilesOfTerabytes() throws IOException {
    long terabyte = 1L << 40;
    for (Path file : List.of(progress, outputs, stdout, stderr)) {
      try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
        sparse.setLength(terabyte);
        sparse.seek(terabyte);
        sparse.write("\nModel parameters: 1/2\n".getBytes(StandardCharsets.UTF_8));
      }
    }

    assertEquals("Model parameters: 1/2", files.newProgress());
    assertEquals(List.of("Model parameters: 1/2"), files.stderrTail());
    assertEquals("1/2", files.modelParameters().value());
    assertEquals(Map.of(), files.outputs().values());
    assertTrue(files.outputs().omissions(), files.outputs().omissions().contains("bytes, above"));
  }

  // ---- Outputs ----

  @Test
  public void shouldReadTheProgramsOutputs() throws IOException {
    append(outputs, "auc=0.93\nmodel.path = hdfs://x/y=z \nno pair\n=nameless\nempty=\nauc=0.94");

    assertEquals(
        Map.of("auc", "0.94", "model.path", " hdfs://x/y=z ", "empty", ""),
        files.outputs().values());
  }

  @Test
  public void shouldTellWhichLinesOfTheOutputsAreNone() throws IOException {
    append(outputs, "\nfirst=1\nnote=one\nsecond s3cret line\n=nokey\n  = blank\nlast=2\n");

    assertEquals(Map.of("first", "1", "note", "one", "last", "2"), files.outputs().values());
    assertEquals(
        "lines 4, 5, 6 of TONY_OUTPUT_FILE are left out: each line is KEY=VALUE, and a value has"
            + " no line break (write it as JSON, or publish the path of a file)",
        files.outputs().omissions());

    append(outputs, "a\nb\nc\n");
    assertTrue(files.outputs().omissions().startsWith("lines 4, 5, 6, 8, 9 and 1 more of TONY_"));
  }

  @Test
  public void shouldHaveNoOutputsWithoutAFileOrWithOneThatIsTooLarge() throws IOException {
    assertEquals(Map.of(), files.outputs().values());

    assertEquals("", files.outputs().omissions());

    append(outputs, "a=b\n".repeat(65 * 1024));

    assertEquals(Map.of(), files.outputs().values());
    assertEquals(
        "all outputs are left out: TONY_OUTPUT_FILE has 266240 bytes, above 262144. Put what is"
            + " large into a file of the cluster, and its path into TONY_OUTPUT_FILE",
        files.outputs().omissions());
  }

  @Test
  public void shouldLeaveOutOutputsAboveTheLimitOfATask() throws IOException {
    String half = "x".repeat(16 * 1024 - 1);
    append(outputs, "a=" + half + "\nb=" + half + "\n");
    assertEquals(Map.of("a", half, "b", half), files.outputs().values());
    assertEquals("just fits", "", files.outputs().omissions());

    append(outputs, "c=1\na=" + half.substring(2) + "\n");

    assertEquals(Map.of("a", half.substring(2), "b", half, "c", "1"), files.outputs().values());
    assertEquals("the last value counts", "", files.outputs().omissions());

    append(outputs, "b=" + half + half + half + "\nd=" + "2".repeat(20_000) + "\n");

    assertEquals(Map.of("a", half.substring(2), "c", "1"), files.outputs().values());
    assertEquals(
        "outputs are left out: b (49150 characters), d (20001 characters); a task's keys and"
            + " values may have at most 32768 characters together. Put what is large into a file"
            + " of the cluster, and its path into TONY_OUTPUT_FILE",
        files.outputs().omissions());
  }

  @Test
  public void shouldNameAFewOfManyOutputsThatAreLeftOut() throws IOException {
    for (int i = 0; i < 12; i++) {
      append(outputs, i + "k".repeat(4_000) + "=" + "v".repeat(4_000) + "\n");
    }

    ProgramOutputs read = files.outputs();

    assertEquals(4, read.values().size());
    assertTrue(read.omissions(), read.omissions().contains(" and 3 more; "));
    assertTrue("" + read.omissions().length(), read.omissions().length() < 1_000);
  }

  // ---- The end of stderr ----

  @Test
  public void shouldGiveTheEndOfStderr() throws IOException {
    assertEquals("", stderrTail());
    append(stderr, "one\n");
    assertEquals("one", stderrTail());
    append(stderr, lines(0, 10_000) + "\n");

    assertEquals("line 9998", files.stderrTail().get(files.stderrTail().size() - 2));
    assertEquals("line 9999", files.stderrTail().get(files.stderrTail().size() - 1));
  }

  @Test
  public void shouldGiveNoLineThatIsCutInTheMiddle() throws IOException {
    append(stderr, "first " + "x".repeat(20_000) + "\nsecond\n");

    assertEquals("second", stderrTail());
  }

  /** As tqdm writes: twenty versions of a bar are one line, and the traceback has its room. */
  @Test
  public void shouldGiveTheLastVersionOfAProgressBarWithoutColours() throws IOException {
    for (int i = 0; i <= 20_000; i++) {
      append(stderr, "\r\u001b[32mEpoch 1\u001b[0m:  " + i + "/20000");
    }
    append(stderr, "\n\u001b[0m\n\u001b[31mTraceback\u001b[0m\n  at x\n");

    assertEquals("Epoch 1:  20000/20000\nTraceback\n  at x", stderrTail());
  }

  @Test
  public void shouldGiveAsManyWholeLinesAsAReportHolds() throws IOException {
    append(stderr, "x".repeat(9_000) + "\n" + "y".repeat(9_000) + "\nlast\n");
    assertEquals("y".repeat(9_000) + "\nlast", stderrTail());

    append(stderr, "z".repeat(20_000));
    assertEquals("z".repeat(16 * 1024), stderrTail());
  }

  @Test
  public void shouldReadWhatIsNotText() throws IOException {
    byte[] bytes = "größer\n".getBytes(StandardCharsets.ISO_8859_1);
    Files.write(stderr, bytes);

    assertEquals("gr\ufffd\ufffder", stderrTail());
  }

  // ---- Model parameters ----

  private void assertModelParameters(String expected, String text) throws IOException {
    Files.writeString(stdout, text);
    assertEquals(expected, files.modelParameters().value());
  }

  @Test
  public void shouldFindWhatThePreprocessingProgramPrinted() throws IOException {
    assertNull(files.modelParameters().value());
    assertModelParameters(null, "no parameters here\nModel parameters:\nModel parameters\n");
    assertModelParameters("a=1 b=größer", "x\nINFO Model parameters: a=1 b=größer\ny\n");
    assertModelParameters("last", "Model parameters: first\nModel parameters: last");
    assertModelParameters("a", "Model parameters: a\r\n");
    assertModelParameters("a Model parameters: b", "Model parameters: a Model parameters: b\n");
    assertModelParameters("c", "Model Model parameters: c\nMode");
  }

  @Test
  public void shouldFindModelParametersInALargeFileWithALongLine() throws IOException {
    append(stdout, lines(0, 200_000) + "\nModel parameters: a\n" + "x".repeat(3_000_000) + "\n");
    append(stdout, lines(0, 200_000) + "\n");

    assertEquals("a", files.modelParameters().value());
  }

  @Test
  public void shouldLeaveOutModelParametersThatNoVariableCanHold() throws IOException {
    assertModelParameters(null, "Model parameters: " + "x".repeat(128 * 1024) + "\n");
    String leftOut = files.modelParameters().problem();
    assertTrue(leftOut, leftOut.contains("no environment variable"));
    assertModelParameters(
        "x".repeat(100 * 1024), "Model parameters: " + "x".repeat(100 * 1024) + "\n");
  }

  @Test
  public void shouldSayThatItDidNotReadAllForModelParameters() throws IOException {
    append(stdout, "Model parameters: early\n");
    assertEquals("", files.modelParameters().problem());
    try (RandomAccessFile file = new RandomAccessFile(stdout.toFile(), "rw")) {
      file.setLength(ModelParameters.MAX_READ_BYTES + 100);
    }

    assertNull(files.modelParameters().value());
    String leftOut = files.modelParameters().problem();
    assertTrue(leftOut, leftOut.contains((64 << 20) + 100 + " bytes"));
  }

  // ---- One program after the other ----

  @Test
  public void shouldForgetWhatAnEarlierProgramSaid() throws IOException {
    append(progress, "10/10\n");
    append(outputs, "auc=0.9\n");
    append(stdout, "Model parameters: old\n");
    append(stderr, "Address already in use\n");

    files = TaskFiles.prepare(folder, logs);

    assertEquals("", files.lastProgress());
    assertEquals(Map.of(), files.outputs().values());
    assertNull(files.modelParameters().value());
    assertEquals("", stderrTail());
    append(stderr, "a new line\n");
    append(progress, "10/10\n");
    assertEquals("a new line", stderrTail());
    assertEquals("10/10", files.newProgress());
  }

  // ---- Signs of life ----

  @Test
  public void shouldMarkEveryChangeOfAFile() throws IOException {
    Set<List<String>> marks = new HashSet<>(Set.of(files.marks()));
    for (Path file : List.of(stdout, stderr, progress, outputs)) {
      append(file, "x\n");
      assertTrue(file.toString(), marks.add(files.marks()));
    }
    assertFalse(marks.add(files.marks()));

    FileTime later = FileTime.from(Files.getLastModifiedTime(progress).toInstant().plusMillis(5));
    Files.setLastModifiedTime(progress, later); // written anew, and as long as before

    assertTrue(marks.add(files.marks()));
  }

  /** The program can write where its executor does. */
  @Test(timeout = 60_000)
  public void shouldNotWaitForAPipeThatNobodyReads() throws Exception {
    Path planted = folder.resolve(".tony/asked.new");
    NamedPipe.make(planted);

    files.askForCheckpoint(1_700_000_000_999L);

    Path asked = Path.of(files.environment().get("TONY_CHECKPOINT_ASKED"));
    assertEquals("1700000000\n", Files.readString(asked));
  }
}
