package io.tony.config.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.time.Duration;
import org.junit.Test;

public class HeartbeatPaceTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  public void shouldKeepWhatIsSetForAThousandTasks() {
    assertEquals(new HeartbeatPace(SECOND, 25), HeartbeatPace.of(SECOND, 25, 1_000));
  }

  @Test
  public void shouldKeepASlowerPaceThanALargeGangNeeds() {
    Duration slow = Duration.ofSeconds(30);

    assertEquals(new HeartbeatPace(slow, 3), HeartbeatPace.of(slow, 3, 10_000));
  }

  @Test
  public void shouldSlowALargeGangDownAndMissNobodySooner() {
    HeartbeatPace pace = HeartbeatPace.of(SECOND, 25, 10_000);

    assertEquals(new HeartbeatPace(Duration.ofSeconds(10), 4), pace);
  }

  @Test
  public void shouldBearTheSilenceThatIsSetOnTopOfAnInterval() {
    for (int tasks : new int[] {1_001, 2_500, 7_000, 100_000}) {
      for (int missed : new int[] {1, 12, 25}) {
        HeartbeatPace pace = HeartbeatPace.of(SECOND, missed, tasks);

        Duration limit = pace.interval().multipliedBy(pace.maxMissed());
        Duration borne = limit.minus(pace.interval());
        assertTrue(tasks + ": " + pace, borne.compareTo(SECOND.multipliedBy(missed)) >= 0);
      }
    }
  }
}
