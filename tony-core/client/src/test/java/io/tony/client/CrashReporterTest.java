package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import io.tony.client.output.JobLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A log of Azkaban's is no place for traces. */
public class CrashReporterTest {
  private final Exception trouble =
      new IOException(
          "DestHost:destPort rm:8032\n\tat org.apache.hadoop.ipc.Server.run(Server.java:1)",
          new IllegalStateException("the queue is of stone"));

  private static final String SENTENCE =
      "FAILED (LOST): java.io.IOException: DestHost:destPort rm:8032,"
          + " because of java.lang.IllegalStateException: the queue is of stone";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private CrashReporter lost(Map<String, String> environment) {
    return new CrashReporter(
        environment,
        new JobLog(told),
        new PrintStream(errors, true, StandardCharsets.UTF_8),
        new YarnConfiguration());
  }

  private List<String> told() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private CrashReporter inAzkaban(Path folder) {
    return lost(
        Map.of(
            "TONY_JOB_FOLDER", folder.toString(), "TONY_JOB_ALLOWED_FOLDERS", folder.toString()));
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  public void shouldPutTheTraceIntoAFileOfTheExecutionThatTheSentenceNames() throws IOException {
    Path folder = temporary.getRoot().toPath().toRealPath();

    assertEquals(ExitCode.INFRASTRUCTURE, inAzkaban(folder).reportCommand(trouble));

    Path file = filesIn(folder).get(0);
    assertEquals(
        List.of(SENTENCE + "; its trace is in " + file + " of Azkaban's executor"), told());
    assertEquals("", errors.toString(StandardCharsets.UTF_8));
    assertTrue(Files.readString(file).contains("\tat io.tony.client.CrashReporterTest"));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertTrue(file.toString(), file.getFileName().toString().startsWith(".tony-"));
  }

  /** A step's user who owns the folder, and puts a link in the place of each new file. */
  private static Thread swapper(Path folder, Path target, AtomicInteger swapped) {
    Thread thread =
        new Thread(
            () -> {
              Set<String> seen = new HashSet<>();
              while (!Thread.currentThread().isInterrupted()) {
                String[] names = folder.toFile().list();
                for (String name : names) {
                  if (seen.add(name)) {
                    Path file = folder.resolve(name);
                    try {
                      Files.delete(file);
                      Files.createSymbolicLink(file, target);
                      swapped.incrementAndGet();
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  }
                }
              }
            },
            "swapper");
    thread.start();
    return thread;
  }

  @Test
  public void shouldWriteToNoFileThatALinkLeadsTo() throws Exception {
    Path folder = temporary.newFolder("execution").toPath().toRealPath();
    Path target = temporary.getRoot().toPath().resolve("of-azkabans-user");
    CrashReporter lost = inAzkaban(folder);
    AtomicInteger swapped = new AtomicInteger();
    Thread swapper = swapper(folder, target, swapped);
    int traces = 0;
    while (swapped.get() < 200 && Files.notExists(target)) {
      lost.reportCommand(trouble);
      traces++;
    }
    swapper.interrupt();
    swapper.join();

    assertTrue(traces + " traces, and a file was written", Files.notExists(target));
  }

  @Test
  public void shouldTellTheCauseWhereNoFileCanBeWritten() throws IOException {
    Path folder = temporary.newFolder("gone").toPath().toRealPath();
    CrashReporter lost = inAzkaban(folder);
    Files.delete(folder);

    lost.reportCommand(trouble);

    assertEquals(told().toString(), 1, told().size());
    assertTrue(told().get(0), told().get(0).startsWith(SENTENCE + "; its trace could not be"));
    assertEquals("", errors.toString(StandardCharsets.UTF_8));
  }

  @Test
  public void shouldShowATerminalTheTrace() {
    lost(Map.of()).reportCommand(trouble);

    assertEquals(List.of(SENTENCE), told());
    assertTrue(
        errors.toString(StandardCharsets.UTF_8).contains("\tat io.tony.client.CrashReporterTest"));
  }

  @Test
  public void shouldTellOnlyTheRemedyWhereThereIsOne() throws IOException {
    Path folder = temporary.getRoot().toPath();
    inAzkaban(folder).reportCommand(new IOException("Permission denied: user=bob, access=WRITE"));

    assertEquals(1, told().size());
    assertTrue(told().get(0), told().get(0).startsWith("FAILED: HDFS says: Permission denied"));
    assertEquals(List.of(), filesIn(folder));
  }

  @Test
  public void shouldTellOfAThreadThatHasEndedAndMaskWhatIsSecret() throws IOException {
    Path folder = temporary.getRoot().toPath().toRealPath();
    Error error = new NoClassDefFoundError("password=hunter2");

    inAzkaban(folder).reportThread(new Thread("tokens"), error);

    String line = told().get(0);
    assertTrue(line, line.startsWith("warning: the thread tokens of this client has ended: "));
    String trace = Files.readString(filesIn(folder).get(0));
    assertFalse(line + trace, (line + trace).contains("hunter2"));
  }
}
