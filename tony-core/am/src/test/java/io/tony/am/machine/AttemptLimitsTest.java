package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AttemptLimitsTest {
  private static JobState at(int attempt) {
    JobState state = Scenario.running(job().workers(2)).state();
    GangState gang = state.gang();
    return state.with(
        new GangState(
            gang.session(),
            attempt,
            gang.tasks(),
            gang.backoffCount(),
            gang.charges(),
            gang.excusedRoles(),
            gang.outputChars(),
            gang.gangFailure(),
            gang.checkpoints(),
            gang.resizes()));
  }

  /** Else the numbers of this application would reach those of its next Azkaban attempt. */
  @Test
  public void shouldStartNothingForFreeBeyondTenThousand() {
    assertTrue(AttemptLimits.allowsFreeRestart(at(9_998)));
    assertFalse(AttemptLimits.allowsFreeRestart(at(9_999)));
    assertEquals(10_001, AttemptLimits.maxAttempts(job().workers(2).spec(), 1));
  }
}
