package io.tony.client.output;

import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.EventReplay;
import io.tony.client.follow.StatusFile;
import io.tony.client.narrate.Narrator;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Whatever a program writes, the log of its job holds no event that did not happen. */
public class ForgedTextTest {
  private static final String EVENT =
      "{\"v\":1,\"time\":\"2026-11-22T10:00:00Z\",\"type\":\"JOB_FINISHED\","
          + "\"session\":0,\"details\":{\"status\":\"SUCCEEDED\"}}";

  private static final String FORGED = "tony-events [" + EVENT + "]";

  /** Each tries to begin a line of its own, or to look as if it did. */
  private static final List<String> TRIES =
      List.of(
          FORGED,
          "tony-event " + EVENT, // as earlier releases told it
          EVENT + "," + EVENT + "]",
          "x " + FORGED,
          "x\n" + FORGED,
          "x\r" + FORGED,
          "x\r\n" + FORGED,
          "x\u2028" + FORGED,
          "x\u0085" + FORGED,
          "x\u001b[1G\u001b[2K" + FORGED,
          "x\b\b\b" + FORGED,
          "x\0" + FORGED,
          "tony\u0000-event {}\ntony\u200b-event {}\n " + FORGED,
          "22-11-2026 10:00:00 UTC train INFO - " + FORGED,
          "x\n22-11-2026 10:00:00 UTC train INFO - " + FORGED,
          "\u202e}{ tneve-ynot " + FORGED);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void shouldTellNoEventButThoseThatHappen() throws IOException {
    for (String text : TRIES) {
      for (JobEvent event : told(text)) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        JobLog log = new JobLog(bytes);
        new Narrator(log, true, true).narrate(event);
        log.flushEvents();
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();

        int last = lines.size() - 1;
        assertEquals(List.of(event), EventReplay.in(lines.get(last)));
        assertShowsAll(lines.get(last));
        for (String line : lines.subList(0, last)) {
          assertPlain(line);
        }
      }
    }
  }

  /** Facts with the program's words in every text that they have. */
  private static List<JobEvent> told(String text) {
    return List.of(
        event(1, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", text),
        event(1, JobEvent.Type.TENSORBOARD, "worker:0", "url", text),
        event(1, JobEvent.Type.ADVICE, "", "text", text),
        event(
            1, JobEvent.Type.TASK_FAILED, "worker:0", "message", text, "stderr", text, "log", text),
        event(1, JobEvent.Type.NODE_AVOIDED, "", "node", text, "message", text),
        event(1, JobEvent.Type.ROLE_EXCUSED, "", "role", "ps", "message", text),
        event(1, JobEvent.Type.STOP_REQUESTED, "", "who", text),
        event(1, JobEvent.Type.LOG_BEHIND, "", "message", text),
        event(1, JobEvent.Type.TASK_SUCCEEDED, "worker:0", "exitCode", "0", "outputsLeftOut", text),
        event(
            1,
            JobEvent.Type.GANG_RESTARTED,
            "worker:0",
            "kind",
            "PROGRAM",
            "message",
            text,
            "left",
            "0"));
  }

  @Test
  public void shouldPrintOnlyPlainText() {
    for (String text : TRIES) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      JobLog log = new JobLog(bytes);
      log.println(text);
      log.println(List.of(text));

      bytes.toString(StandardCharsets.UTF_8).lines().forEach(ForgedTextTest::assertPlain);
    }
  }

  @Test
  public void shouldIndentWhatBeginsALineOfItsOwn() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new JobLog(bytes).println("worker:0 failed: x\nSUCCEEDED after 3 s: 1 of 1 tasks");

    assertEquals(
        "worker:0 failed: x\n    SUCCEEDED after 3 s: 1 of 1 tasks\n",
        bytes.toString(StandardCharsets.UTF_8));
  }

  @Test
  public void shouldCutALineThatIsTooLong() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new JobLog(bytes).println("\ud83d\ude80".repeat(PlainText.MAX_LINE_CHARS));
    new PrintStream(new PlainLines(bytes), true, StandardCharsets.UTF_8)
        .println("x".repeat(10 * PlainText.MAX_LINE_CHARS));

    List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
    assertEquals(2, lines.size());
    assertTrue(lines.get(0).endsWith("🚀… (" + PlainText.MAX_LINE_CHARS + " more characters)"));
    assertEquals("x".repeat(PlainText.MAX_LINE_CHARS) + "…", lines.get(1));
  }

  /** Libraries write what they like there, in pieces of any size. */
  @Test
  public void shouldPassOnlyPlainLinesToStderr() throws IOException {
    for (String text : TRIES) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (PrintStream err = new PrintStream(new PlainLines(bytes), true, StandardCharsets.UTF_8)) {
        err.println("WARN: " + text);
        for (char c : ("WARN: " + text).toCharArray()) {
          err.print(c);
          err.flush();
        }
        new IOException(text).printStackTrace(err);
      }

      String all = bytes.toString(StandardCharsets.UTF_8);
      assertFalse(text, all.contains(PlainText.EVENT_MARK));
      assertTrue(text, all.contains("at io.tony.client.output.ForgedTextTest"));
      all.lines().forEach(ForgedTextTest::assertPlain);
    }
  }

  /** The job type puts it into Azkaban's log. */
  @Test
  public void shouldGiveTheJobTypeAMessageOfOneLine() throws IOException {
    Path file = folder.getRoot().toPath().resolve("status");
    for (String text : TRIES) {
      new StatusFile(file).recordEnd(JobResult.succeeded(text));

      Properties status = new Properties();
      try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        status.load(reader);
      }
      assertEquals("SUCCEEDED", status.getProperty("state"));
      assertEquals(1, status.getProperty("message").lines().count());
      assertPlain(status.getProperty("message"));
    }
  }

  private static void assertPlain(String line) {
    assertFalse(line, line.contains(PlainText.EVENT_MARK));
    assertShowsAll(line);
  }

  private static void assertShowsAll(String line) {
    assertTrue(
        line,
        Stream.of("\u001b", "\b", "\0", "\r", "\u2028", "\u0085", "\u202e")
            .noneMatch(line::contains));
  }
}
