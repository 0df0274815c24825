package io.tony.am.machine;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.UsageFact.Goodput;
import io.tony.model.JobEvent;
import io.tony.timeline.GoodputReducer;
import io.tony.timeline.Stage;
import io.tony.timeline.Timeline;
import io.tony.timeline.YarnTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Goodput of jobs in which much goes wrong: each millisecond counts once. */
public class SimulatedGoodputTest {
  private static final int JOBS = 400;

  @Test
  public void shouldAddUpToAllOfTheTimeWhateverHappens() {
    int restarted = 0;
    int measured = 0;
    for (long seed = 0; seed < JOBS; seed++) {
      Simulation job = new Simulation(seed, seed % 4 != 0);
      while (job.step()) {
        if (job.masterDies()) {
          job.loseMaster();
        }
      }
      Goodput goodput = check(seed, job.log());
      restarted += goodput.restartCount() > 0 ? 1 : 0;
      measured += goodput.restartCount() > 0 && goodput.byProgress() ? 1 : 0;
    }
    assertTrue("jobs with restarts: " + restarted, restarted > JOBS / 20);
    assertTrue("by their progress: " + measured, measured > 0);
  }

  private static Goodput check(long seed, List<JobEvent> log) {
    String name = "-Dtony.simulation.seed=" + seed;
    GoodputReducer fold = new GoodputReducer();
    List<JobEvent> soFar = new ArrayList<>();
    for (JobEvent event : log) {
      fold.add(event);
      soFar.add(event);
      Goodput now = fold.now();
      assertTrue(name + " " + now, now.trainingMs() >= 0);
      assertTrue(name + " " + now, now.lostMs().values().stream().allMatch(millis -> millis > 0));
      if (soFar.size() % 10 == 0 || soFar.size() == log.size()) {
        assertSameAsPhases(name, Timeline.of(soFar, YarnTimes.UNKNOWN), now);
      }
    }
    return fold.now();
  }

  private static void assertSameAsPhases(String name, Timeline timeline, Goodput goodput) {
    assertEquals(name, timeline.duration().toMillis(), goodput.totalMs());
    Map<Stage, Duration> stages = timeline.byStage();
    assertEquals(
        name,
        sum(stages, Stage.WARMING_UP, Stage.RUNNING),
        goodput.trainingMs() + goodput.totalLostMs());
    assertEquals(name, sum(stages, Stage.STOPPING, Stage.REPORTING), goodput.stoppingMs());
    assertEquals(name, sum(stages, Stage.LAUNCHING, Stage.STARTING), goodput.startingMs());
  }

  private static long sum(Map<Stage, Duration> stages, Stage... some) {
    long sum = 0;
    for (Stage stage : some) {
      sum += stages.getOrDefault(stage, Duration.ZERO).toMillis();
    }
    return sum;
  }
}
