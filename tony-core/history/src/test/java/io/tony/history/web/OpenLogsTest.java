package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

public class OpenLogsTest {
  private static final int LINES = 400;
  private static final String LONG = "x".repeat(100_000);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private OpenLogs logs() throws IOException {
    return new OpenLogs(
        FileSystem.getLocal(new Configuration()).getRawFileSystem(), OpenLogs.MAX_CHARS);
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

  @Test
  public void shouldReadFewLogsAtOnceAndKeepNobodyWaitingForLong() throws Exception {
    CountDownLatch arrived = new CountDownLatch(OpenLogs.MAX_READERS);
    CountDownLatch go = new CountDownLatch(1);
    FileSystem slow =
        new FilterFileSystem(FileSystem.getLocal(new Configuration()).getRawFileSystem()) {
          @Override
          public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
            arrived.countDown();
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            return super.listStatusIterator(path);
          }
        };
    OpenLogs logs = new OpenLogs(slow, OpenLogs.MAX_CHARS);
    ExecutorService visitors = Executors.newCachedThreadPool();
    try {
      List<Future<OpenLogs.Piece>> readings = new ArrayList<>();
      Path one = new Path(folder.newFolder().toURI());
      readings.add(visitors.submit(() -> logs.read(one, 0)));
      for (int i = 1; i < OpenLogs.MAX_READERS; i++) {
        Path log = new Path(folder.newFolder().toURI());
        readings.add(visitors.submit(() -> logs.read(log, 0)));
      }
      arrived.await();

      Path another = new Path(folder.newFolder().toURI());
      assertThrows(OpenLogs.BusyException.class, () -> logs.read(another, 0));
      assertThrows("nor for the same log", OpenLogs.BusyException.class, () -> logs.read(one, 0));

      go.countDown();
      for (Future<OpenLogs.Piece> reading : readings) {
        assertEquals(List.of(), reading.get().lines());
      }
      assertEquals(List.of(), logs.read(another, 0).lines());
    } finally {
      visitors.shutdownNow();
    }
  }

  @Test
  public void shouldNotReadALongLogToItsEndForAnyNumber() throws IOException {
    try (Writer out = Files.newBufferedWriter(folder.getRoot().toPath().resolve("events.jsonl"))) {
      for (int i = 0; i < 2 * LINES; i++) {
        out.write(line(i) + "\n");
      }
    }
    OpenLogs.Piece piece = logs().read(new Path(folder.getRoot().toURI()), Long.MAX_VALUE);

    assertEquals(List.of(), piece.lines());
    assertTrue("" + piece.first(), piece.first() < 2 * LINES);
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
      } while (!piece.atEnd());
      assertEquals(LINES, next);
    }
    assertEquals("from the middle", line(200), logs.read(log, 200).lines().get(0));
    assertEquals("no such line", LINES, logs.read(log, 10_000).first());
  }
}
