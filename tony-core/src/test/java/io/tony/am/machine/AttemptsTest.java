package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AttemptsTest {
  private static JobState at(int attempt) {
    JobState state = Scenario.running(job().workers(2)).state();
    GangState gang = state.gang();
    return state.with(
        new GangState(
            gang.session(),
            attempt,
            gang.tasks(),
            gang.backOffs(),
            gang.charges(),
            gang.excused(),
            gang.outputs(),
            gang.incident(),
            gang.kept(),
            gang.resizes()));
  }

  /** Else the numbers of this application would reach those of its next Azkaban attempt. */
  @Test
  public void shouldStartNothingForFreeBeyondTenThousand() {
    assertTrue(Attempts.mayBeFree(at(9_998)));
    assertFalse(Attempts.mayBeFree(at(9_999)));
    assertEquals(10_001, Attempts.limit(job().workers(2).spec(), 1));
  }
}
