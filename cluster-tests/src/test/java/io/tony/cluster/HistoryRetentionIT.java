package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.testing.TonyCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Test;

/** The event logs of jobs that ended long ago. */
public class HistoryRetentionIT extends ClusterTest {
  private static final Duration LONG_AGO = Duration.ofDays(90);

  private static Path history(FileSystem fs, String name) {
    return new Path(fs.getHomeDirectory(), ".tony/history-of-this-test/" + name);
  }

  private static void age(FileSystem fs, String name) throws Exception {
    long time = System.currentTimeMillis() - LONG_AGO.toMillis();
    for (FileStatus file : fs.listStatus(history(fs, name))) {
      fs.setTimes(file.getPath(), time, -1);
    }
    fs.setTimes(history(fs, name), time, -1);
  }

  private TonyCommand job(String program) throws Exception {
    return submit(
        "-executes", program,
        "-conf", "tony.worker.instances=1",
        "-conf", "tony.history.location=.tony/history-of-this-test",
        "-conf", "tony.history.retention=30d");
  }

  @Test
  public void shouldDeleteThoseAndNoOthersWithTheNextSubmission() throws Exception {
    try (FileSystem fs = cluster().fileSystem();
        TonyCommand alive = job("sleep 600")) {
      alive.await("1/1 tasks running");
      String ended;
      try (TonyCommand first = job("true")) {
        first.assertExit(0);
        ended = first.application();
      }
      // One that this YARN does not know, one whose job may run in another, and a user's notes.
      String forgotten = "application_1500000000000_0001";
      String open = "application_1500000000000_0002";
      fs.create(new Path(history(fs, forgotten), "events.jsonl")).close();
      fs.mkdirs(history(fs, "notes"));
      try (var writing = fs.create(new Path(history(fs, open), "events.jsonl"))) {
        writing.write('{');
        writing.hflush();
        for (String name : List.of(alive.application(), ended, forgotten, open, "notes")) {
          age(fs, name);
        }

        String last;
        try (TonyCommand second = job("true")) {
          second.assertExit(0);
          last = second.application();
        }

        List<String> left = new ArrayList<>();
        for (FileStatus folder : fs.listStatus(history(fs, "."))) {
          left.add(folder.getPath().getName());
        }
        assertEquals(List.of(open, alive.application(), last, "notes"), left);
      }
      try (TonyCommand kill = tony("kill", alive.application())) {
        kill.assertExit(0);
      }
      alive.assertExit(4);
    }
  }
}
