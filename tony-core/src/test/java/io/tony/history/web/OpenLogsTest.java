package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class OpenLogsTest {
  private static final int LINES = 400;
  private static final String LONG = "x".repeat(100_000);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private OpenLogs logs() throws IOException {
    return new OpenLogs(FileSystem.getLocal(new Configuration()).getRawFileSystem(), OpenLogs.MOST);
  }

  private static String line(int number) {
    return EventJson.write(
        new JobEvent(
            Instant.ofEpochSecond(number),
            JobEvent.Type.TASK_PROGRESS,
            0,
            new TaskId("worker", 0),
            Map.of("text", LONG)));
  }

  /** A log of 40 million characters. */
  private Path write() throws IOException {
    try (Writer out = Files.newBufferedWriter(folder.getRoot().toPath().resolve("events.jsonl"))) {
      for (int i = 0; i < LINES; i++) {
        out.write(line(i) + "\n");
      }
    }
    return new Path(folder.getRoot().toURI());
  }

  @Test
  public void shouldKeepAPartOfALongLogAndFindTheRestAgain() throws IOException {
    Path log = write();
    OpenLogs logs = logs();
    for (int round = 0; round < 2; round++) { // the second needs what the first has dropped
      int next = 0;
      OpenLogs.Piece piece;
      do {
        piece = logs.read(log, next);
        assertEquals(next, piece.first());
        for (String line : piece.lines()) {
          assertEquals(line(next++), line);
        }
        assertTrue(
            logs.characters() + " characters are kept", logs.characters() < 20L * 1024 * 1024);
      } while (!piece.whole());
      assertEquals(LINES, next);
    }
    assertEquals("from the middle", line(200), logs.read(log, 200).lines().get(0));
    assertEquals("no such line", LINES, logs.read(log, 10_000).first());
  }
}
