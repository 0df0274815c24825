package io.tony.am.machine;

import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobResult;
import java.util.Random;
import org.junit.Test;

/**
 * An ApplicationMaster that dies at each line of its log: in the middle of a decision, which is
 * then not recorded at all, and right behind one, with all, some or none of it done. The next one
 * takes the job over, and the job ends as one that nobody disturbed could have. A failure names its
 * seed and the cut; {@code -Dtony.simulation.seed=N} runs the cuts of that job alone.
 */
public class CrashEverywhereTest {
  private static final int QUIET_JOBS = 150;
  private static final int TROUBLED_JOBS = 150;
  private static final long FIRST_TROUBLED = 10_000;

  private int cuts;

  @Test
  public void shouldEndWhereverTheLogIsCut() {
    Long only = Long.getLong("tony.simulation.seed");
    if (only != null) {
      cutEverywhere(only);
    } else {
      for (long seed = 0; seed < QUIET_JOBS; seed++) {
        cutEverywhere(seed);
      }
      for (long seed = 0; seed < TROUBLED_JOBS; seed++) {
        cutEverywhere(FIRST_TROUBLED + seed);
      }
      assertTrue("cuts: " + cuts, cuts > 10_000);
    }
    System.out.println("the log was cut " + cuts + " times");
  }

  private static Simulation job(long seed) {
    return new Simulation(seed, seed >= FIRST_TROUBLED);
  }

  private void cutEverywhere(long seed) {
    Simulation uncut = job(seed);
    uncut.toTheEnd();
    for (int decision = 0; decision < uncut.decisions().size(); decision++) {
      Decision decided = uncut.decisions().get(decision);
      int lines = decided.facts().size();
      if (lines > 0) {
        // Before its last line is written none of a decision is there.
        cut(seed, decision, false, 0);
        cuts += lines;
      }
      int actions = decided.actions().size();
      if (lines > 0 || actions > 0) {
        cut(seed, decision, true, new Random(seed + decision).nextInt(actions + 1));
        cuts++;
      }
    }
  }

  private static void cut(long seed, int decision, boolean recorded, int actions) {
    Simulation job = job(seed);
    try {
      for (int i = 0; i < decision; i++) {
        job.step();
      }
      job.loseMasterInTheNextDecision(recorded, actions);
      job.toTheEnd();
      if (seed < FIRST_TROUBLED) {
        // Nothing but a user's own stop, which comes by chance, keeps it from succeeding.
        assertNotEquals(JobResult.Status.FAILED, job.result().status());
      }
    } catch (AssertionError | RuntimeException e) {
      String where = recorded ? " recorded, with " + actions + " actions" : " not recorded";
      throw new AssertionError(
          "cut in decision " + decision + where + ": " + job.tale(e).getMessage(), e);
    }
  }
}
