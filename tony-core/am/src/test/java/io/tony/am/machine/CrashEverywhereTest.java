package io.tony.am.machine;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventJson;
import io.tony.eventlog.WholeLog;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * An ApplicationMaster that dies at each line of its log: in the middle of a decision, which is
 * then not recorded at all, and right behind one, with all, some or none of it done. The next one
 * takes the job over, and the job ends as one that nobody disturbed could have. A failure names its
 * seed and the cut; {@code -Dtony.simulation.seed=N} runs the cuts of that job alone.
 */
public class CrashEverywhereTest {
  private static final int QUIET_JOBS = 120;
  private static final int TROUBLED_JOBS = 120;
  private static final int HOLES = 500;
  private static final int BYTEWISE = 3;
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
      assertTrue("cuts: " + cuts, cuts > 8_000);
    }
    System.out.println("the log was cut " + cuts + " times");
  }

  // ---- The bytes of the log ----

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Then the next ApplicationMaster is where one is whose log was cut behind a decision. */
  @Test
  public void shouldReadWholeDecisionsWhereverTheBytesEnd() throws IOException {
    for (long seed = 0; seed < BYTEWISE; seed++) {
      Simulation job = job(seed);
      job.toTheEnd();
      cutAtEveryByte(job, seed);
    }
  }

  private void cutAtEveryByte(Simulation job, long seed) throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    Path file = folder.newFolder("job-" + seed).toPath().resolve("events.jsonl");
    StringBuilder text = new StringBuilder();
    NavigableMap<Integer, Integer> linesAt = new TreeMap<>(Map.of(0, 0));
    int lines = 0;
    for (Decision decision : job.decisions()) {
      List<JobEvent> facts = decision.facts();
      for (int i = 0; i < facts.size(); i++) {
        text.append(EventJson.write(facts.get(i), i + 1 < facts.size())).append('\n');
      }
      lines += facts.size();
      // Only its end is lacking in the last line: it can be read.
      linesAt.put(bytes(text).length - (facts.isEmpty() ? 0 : 1), lines);
    }
    byte[] all = bytes(text);
    for (int length = 0; length <= all.length; length++) {
      Files.write(file, Arrays.copyOf(all, length));
      List<JobEvent> read =
          WholeLog.read(fs, new org.apache.hadoop.fs.Path(file.getParent().toUri()));
      int expected = linesAt.floorEntry(length).getValue();
      assertEquals("of " + length + " bytes", expected, read.size());
      assertEquals(job.log().subList(0, expected), read);
    }
  }

  private static byte[] bytes(StringBuilder text) {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  // ---- A master that could not write its log ----

  @Test
  public void shouldEndLoudlyWhenAClientKnowsMoreThanTheLog() {
    int loud = 0;
    for (long seed = FIRST_TROUBLED; seed < FIRST_TROUBLED + HOLES; seed++) {
      loud += endsLoudly(seed, true) ? 1 : 0;
    }
    assertTrue(loud + " of " + HOLES, loud > 2 * HOLES / 5);
  }

  /**
   * Then the attempts of the executors tell some of it, and others repeat what the log lacks; none
   * hangs. (What executors know by their heartbeats is not simulated: EventFeedTest shows that.)
   */
  @Test
  public void shouldEndAlsoWhenNoClientKnowsMore() {
    int loud = 0;
    for (long seed = FIRST_TROUBLED; seed < FIRST_TROUBLED + HOLES; seed++) {
      loud += endsLoudly(seed, false) ? 1 : 0;
    }
    assertTrue(loud + " of " + HOLES, loud > 0);
  }

  /** Whether it says that the log is not complete. */
  private static boolean endsLoudly(long seed, boolean client) {
    Random random = new Random(seed);
    Simulation job = job(seed);
    try {
      run(job, 2 + random.nextInt(30));
      job.failLog();
      run(job, 1 + random.nextInt(20));
      if (job.result() != null) {
        return false;
      }
      job.loseMasterWithItsLog(client);
      boolean stops = job.state().phase() == Phase.STOPPING || job.result() != null;
      if (client && !stops) {
        throw new IllegalStateException("the job goes on: " + job.state());
      }
      job.toTheEnd();
      return job.result().message().contains("is not complete");
    } catch (AssertionError | RuntimeException e) {
      throw job.tale(e);
    }
  }

  private static void run(Simulation job, int steps) {
    for (int i = 0; i < steps && job.result() == null; i++) {
      job.step();
    }
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
        cuts += lines; // that they are not read is shown below
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
