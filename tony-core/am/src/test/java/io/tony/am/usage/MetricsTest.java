package io.tony.am.usage;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.event.ResizeFact;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class MetricsTest {
  private static final Duration LATELY = Duration.ofSeconds(15);
  private static final Duration SPAN = Duration.ofSeconds(5);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private Metrics metrics(JobSpec job) {
    return new Metrics(job, () -> now);
  }

  private static Metrics.Sample sample(long memory, double cores) {
    return new Metrics.Sample(new TaskUsage(memory, cores, null), SPAN, memory, 100);
  }

  private static Metrics.Sample sample(long memory, double cores, int gpuPercent, long gpuMiB) {
    TaskUsage use = new TaskUsage(memory, cores, new TaskUsage.GpuUsage(gpuPercent, gpuMiB));
    return new Metrics.Sample(use, SPAN, memory, 100);
  }

  @Test
  public void shouldTellTheLastOfEachTaskThatRuns() {
    Metrics metrics = metrics(job().role("ps", 1, Supervision.UNTRACKED).workers(3).spec());
    assertEquals(Map.of(), metrics.details(LATELY));

    metrics.recordSample(new TaskId("worker", 2), sample(700, 0.5));
    now = now.plusSeconds(16);
    metrics.recordSample(new TaskId("worker", 1), sample(812, 0.966, 43, 2048));
    metrics.recordSample(new TaskId("worker", 0), sample(1, 1));
    metrics.recordSample(new TaskId("worker", 0), sample(600, 1.25));
    metrics.recordSample(new TaskId("ps", 0), sample(50, 0));

    assertEquals(
        List.of("ps:0=50 0.00", "worker:0=600 1.25", "worker:1=812 0.97 43 2048"),
        metrics.details(LATELY).entrySet().stream().map(Map.Entry::toString).toList());
  }

  @Test
  public void shouldPassOverATaskThatTheJobDoesNotHave() {
    Metrics metrics = metrics(job().workers(2).spec());

    metrics.recordSample(new TaskId("worker", 2), sample(1, 1));
    metrics.recordSample(new TaskId("chief", 0), sample(1, 1));

    assertEquals(Map.of(), metrics.details(LATELY));
  }

  @Test
  public void shouldTellEveryTaskOf32AndThreeOf33() {
    for (int tasks : new int[] {32, 33}) {
      Metrics metrics = metrics(job().workers(tasks).spec());
      for (int i = 0; i < tasks; i++) {
        metrics.recordSample(new TaskId("worker", i), sample(100 + (i * 7) % tasks, i));
      }
      Map<String, String> details = metrics.details(LATELY);
      if (tasks == 32) {
        assertEquals(32, details.size());
        assertEquals("107 1.00", details.get("worker:1"));
      } else {
        assertEquals(
            Map.of(
                "worker min", "100 0.00", "worker median", "116 7.00", "worker max", "132 14.00"),
            details);
      }
    }
  }

  @Test
  public void shouldAddUpOverTheAttemptsOfATask() {
    Metrics metrics = metrics(job().workers(2).spec());
    TaskId worker = new TaskId("worker", 1);
    for (int i = 0; i < 6; i++) {
      metrics.recordSample(worker, sample(i == 2 ? 900 : 300, 2, 4, 1));
    }
    assertEquals(new RoleUsage(1, 1000, 2.0, 4.0), metrics.roles().get("worker"));

    // The next attempt's own peak is lower, and its executor may be another one.
    for (int i = 0; i < 6; i++) {
      metrics.recordSample(worker, sample(200, 1, 12, 1));
    }

    assertEquals(new RoleUsage(1, 1000, 1.5, 8.0), metrics.roles().get("worker"));
  }

  /** As many as the largest jobs have; each told, and all told of, in far less than they take. */
  @Test
  public void shouldKeepUpWithTenThousandTasks() {
    Metrics metrics = metrics(job().workers(10_000).spec());
    Metrics.Sample sample = sample(300, 1);
    long start = System.nanoTime();
    for (int second = 0; second < 100; second++) {
      for (int i = 0; i < 10_000; i++) {
        metrics.recordSample(new TaskId("worker", i), sample);
      }
    }
    long perSample = (System.nanoTime() - start) / 1_000_000;
    start = System.nanoTime();
    assertEquals(3, metrics.details(LATELY).size());
    assertEquals(10_000, metrics.roles().get("worker").watchedCount());
    long millis = (System.nanoTime() - start) / 1_000_000;
    assertTrue(perSample + " ns for a sample", perSample < 20_000);
    assertTrue(millis + " ms for an event", millis < 2_000);
  }

  @Test
  public void shouldTellNothingOfTasksThatAreGone() {
    Metrics metrics = metrics(job().workers(4).spec());
    for (int i = 0; i < 4; i++) {
      metrics.recordSample(new TaskId("worker", i), sample(300 + 100 * i, 1));
      metrics.recordProgress(new TaskId("worker", i), "step 1/100");
    }

    metrics.resize(new ResizeFact.Resized("worker", 4, 2, 1, Map.of(3, 1), ""));
    metrics.recordSample(new TaskId("worker", 3), sample(300, 1)); // it was on its way

    assertEquals(Set.of("worker:0", "worker:1"), metrics.details(LATELY).keySet());
    assertEquals(Map.of("worker", 2), metrics.sizes());
    assertNull(metrics.readings("worker").get(3).progress());
    assertEquals("what it needed stays known", 700, metrics.roles().get("worker").peakMiB());

    metrics.resize(new ResizeFact.Resized("worker", 2, 4, 2, Map.of(), ""));
    metrics.recordSample(new TaskId("worker", 3), sample(300, 1));
    assertTrue(metrics.details(LATELY).containsKey("worker:3"));
  }
}
