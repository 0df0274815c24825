package io.tony.client.narrate;

import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.EventReplay;
import io.tony.client.follow.SampleEvents;
import io.tony.client.output.JobLog;
import io.tony.model.JobEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.Test;

/** The log of a job of eight tasks that trains for a month and is started again each day. */
public class MonthOfLogTest {
  private static final int TASKS = 8;
  private static final int DAY = (int) Duration.ofDays(1).toSeconds();
  private static final int MONTH = 30 * DAY;

  /** Azkaban keeps the last 20 MB. */
  private static final int MOST_BYTES = 3_000_000;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Instant now = SampleEvents.START;
  private final JobLog log = new JobLog(bytes, () -> now);
  private final Narrator narrator = new Narrator(log, true, false);
  private double nextMetrics;

  private void happens(int second, JobEvent.Type type, String task, String... details) {
    now = SampleEvents.START.plusSeconds(second);
    narrator.narrate(event(second, type, task, details));
  }

  private void start(int second) {
    happens(second, JobEvent.Type.GANG_REQUESTED, "", "tasks", "8", "resources", "8 × worker");
    for (int index = 0; index < TASKS; index++) {
      String task = "worker:" + index;
      happens(
          second,
          JobEvent.Type.TASK_ALLOCATED,
          task,
          "container",
          "container_e17_1795279724695_0001_01_00000" + index,
          "node",
          "node-" + index + ".example.org",
          "log",
          "http://node-" + index + ".example.org:8042/node/containerlogs/container_" + index);
      happens(second, JobEvent.Type.TASK_REGISTERED, task, "endpoint", "node-1:7000");
      happens(second, JobEvent.Type.TASK_STARTED, task, "pid", "4711");
    }
    happens(second, JobEvent.Type.GANG_RUNNING, "");
    log.flushDueEvents(Duration.ofSeconds(5));
  }

  private void train(int second) {
    String step = "step " + second + "/" + MONTH + " loss 0.3141 lr 3.0e-4 1523 tokens/s";
    happens(second, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", step);
    if (second >= nextMetrics) { // as the ApplicationMaster tells them
      String[] uses = new String[2 * TASKS];
      for (int index = 0; index < TASKS; index++) {
        uses[2 * index] = "worker:" + index;
        uses[2 * index + 1] = "30812 7.97 93 72048";
      }
      happens(second, JobEvent.Type.METRICS, "", uses);
      nextMetrics = second + Math.max(10, second / 100.0);
    }
    log.flushDueEvents(Duration.ofSeconds(5));
  }

  private void startAgain(int second) {
    happens(
        second,
        JobEvent.Type.TASK_FAILED,
        "worker:3",
        "message",
        "worker:3 exited with code 1",
        "stderr",
        "Traceback (most recent call last):\n".repeat(25) + "RuntimeError: NCCL error",
        "log",
        "http://node-3.example.org:8042/node/containerlogs/container_3");
    happens(second, JobEvent.Type.GANG_RESTARTED, "worker:3", "kind", "PROGRAM", "message", "m");
    start(second);
  }

  @Test
  public void shouldStayFarBelowWhatAzkabanKeeps() {
    happens(0, JobEvent.Type.AM_STARTED, "", "attempt", "1", "host", "h", "tasks", "8");
    start(0);
    for (int second = 10; second < MONTH; second += 10) {
      train(second);
      if (second % DAY == 0) {
        startAgain(second);
      }
    }
    log.flushEvents();

    List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
    long machine = lines.stream().filter(EventReplay::isIn).count();
    double perPerson = (double) machine / (lines.size() - machine);
    String told = bytes.size() + " bytes, " + lines.size() + " lines, " + perPerson + " for each";
    assertTrue(told, bytes.size() < MOST_BYTES);
    assertTrue(told, perPerson < 1.2);
    assertEquals(told, 29, lines.stream().filter(line -> line.contains("NCCL error")).count() / 2);
  }
}
