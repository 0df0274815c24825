package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobResult;
import io.tony.testing.TonyCommand;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Test;

/** The event logs of jobs that ended long ago. */
public class HistoryRetentionIT extends ClusterTest {
  private static final Pattern ADDRESS = Pattern.compile("is served at (http://\\S+/)");
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

  /** A log as an ApplicationMaster leaves it. */
  private static void write(FileSystem fs, String application) throws Exception {
    Instant begin = Instant.now().minus(LONG_AGO);
    List<Fact> facts =
        List.of(
            new JobFact.MasterStarted(1, "node-1", 1, null, new JobFact.LaunchTimes(begin, null)),
            new JobFact.Finished(JobResult.succeeded("1 of 1 tasks succeeded")));
    try (OutputStream out = fs.create(new Path(history(fs, application), "events.jsonl"))) {
      for (Fact fact : facts) {
        out.write(
            (EventJson.write(fact.toEvent(begin, 0)) + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  /** The service as a site runs it, beside a job that it may not touch. */
  @Test
  public void shouldLetTheServiceDeleteThoseOfAllUsers() throws Exception {
    String old = "application_1500000000000_0003";
    String young = "application_1500000000000_0004";
    String full = "application_1500000000000_0005";
    try (FileSystem fs = cluster().fileSystem()) {
      for (String name : List.of(old, young, full)) {
        write(fs, name);
      }
      fs.create(new Path(history(fs, full), "model.bin")).close();
      age(fs, old);
      age(fs, full);
      try (TonyCommand service =
          tony(
              "history",
              "-listen",
              "localhost:0",
              "-refresh",
              "1s",
              "-folders",
              history(fs, old).getParent().toString(),
              "-retention",
              "30d")) {
        Matcher line = ADDRESS.matcher(service.await("is served at"));
        assertTrue(line.find());
        HttpRequest jobs = HttpRequest.newBuilder(URI.create(line.group(1) + "jobs.json")).build();
        String listed;
        do {
          listed = HttpClient.newHttpClient().send(jobs, BodyHandlers.ofString()).body();
        } while (!listed.contains(young) || fs.exists(history(fs, old)) || listed.contains(old));
        assertTrue(fs.exists(history(fs, full)));
        assertTrue(fs.exists(history(fs, young)));
      }
      for (String name : List.of(young, full)) {
        fs.delete(history(fs, name), true);
      }
    }
  }
}
