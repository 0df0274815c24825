package io.tony.am.machine;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.DistributedMode;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.Test;

/**
 * Thousands of jobs in a world where much goes wrong, some of them others every day. A failure
 * names its seed and the events that led to it; {@code -Dtony.simulation.seed=N} runs that one
 * alone. {@code -Dtony.simulation.seeds=N}, with {@code -Dtony.simulation.from=S}, goes through N
 * of them and says which rules are broken where; with {@code -Dtony.simulation.first=true} only up
 * to the first. Of the jobs of the day neither runs more than so many.
 */
public class JobMachineSimulationTest {
  private static final int JOBS = 4_000;
  private static final int JOBS_OF_THE_DAY = 1_000;

  /** At which of its decisions a job has a twin. */
  private static final int CUTS = 3;

  /**
   * What cannot be, and what comes too seldom to be asked for: before the first containers are
   * asked for nothing else can happen, and no programs run while all containers are given back but
   * those of tasks that start by themselves.
   */
  private static final Pattern SELDOM =
      Pattern.compile(
          ".* in (NEW|BACKING_OFF)"
              + "|(AmReady|LogIncomplete|SchedulerFailed|HangReported|PreflightFailed|StopRequested"
              + "|TaskHeld|UnusedContainerEnded|ShellClosed|ShellRequested|TimerFired|ContainerAllocated"
              + "|HeartbeatTimedOut|TensorBoardListens) in (FINISHED|STOPPING|REGISTERING)"
              + "|(LogIncomplete|HangReported|UnusedContainerEnded) in .*"
              + "|(ResumePointChosen|CheckpointReported|PreemptionNotice|ClusterChanged) in FINISHED");

  private static final Set<JobEvent.Type> TROUBLE =
      EnumSet.of(
          JobEvent.Type.TASK_RESTARTED,
          JobEvent.Type.GANG_RESTARTED,
          JobEvent.Type.NODE_AVOIDED,
          JobEvent.Type.FIRST_CAUSE);

  /** What the schedules led to, so that a world that became too kind is noticed. */
  private final Map<JobResult.Status, Integer> statuses = new EnumMap<>(JobResult.Status.class);

  private final Set<FailureKind> kinds = EnumSet.noneOf(FailureKind.class);
  private final Paths paths = new Paths();
  private final Set<DistributedMode> succeededModes = EnumSet.noneOf(DistributedMode.class);
  private int restarts;
  private int futile;
  private int masters;
  private long givenBack;
  private long shrunk;
  private long grown;
  private long joined;
  private long returned;
  private long twins;

  @Test
  public void shouldKeepItsInvariantsWhateverHappens() {
    String only = System.getProperty("tony.simulation.seed");
    if (only != null) {
      live(Long.parseLong(only), true);
      return;
    }
    String many = System.getProperty("tony.simulation.seeds");
    if (many != null) {
      census(Long.getLong("tony.simulation.from", 0), Long.parseLong(many));
      return;
    }
    for (long seed = 0; seed < JOBS; seed++) {
      live(seed, seed % 8 != 0);
    }
    for (JobResult.Status status : JobResult.Status.values()) {
      assertTrue("how jobs ended: " + statuses, statuses.getOrDefault(status, 0) > JOBS / 50);
    }
    assertEquals(
        EnumSet.of(
            FailureKind.PROGRAM,
            FailureKind.LOST,
            FailureKind.PREEMPTED,
            FailureKind.MEMORY,
            FailureKind.TIMEOUT,
            FailureKind.AM_LOST,
            FailureKind.KILLED),
        kinds);
    assertEquals(EnumSet.allOf(DistributedMode.class), succeededModes);
    assertEquals("ways that no job went", Set.of(), missing());
    assertTrue("events that twins were told: " + twins, twins > JOBS);
    assertTrue("ApplicationMasters that took over: " + masters, masters > JOBS / 10);
    assertTrue("jobs that no retry could help: " + futile, futile > JOBS / 400);
    assertTrue("gangs that gave containers back: " + givenBack, givenBack > JOBS / 400);
    assertTrue("gangs that shrank: " + shrunk, shrunk > JOBS / 200);
    assertTrue("gangs that grew: " + grown, grown > 0);
    assertTrue("tasks that joined a gang: " + joined, joined > 0);
    assertTrue("tasks that a gang went on without: " + returned, returned > JOBS / 400);
    assertTrue("gangs started again: " + restarts, restarts > JOBS / 20);
  }

  @Test
  public void shouldKeepThemAlsoInJobsThatNobodyHasSeenBefore() {
    boolean one = System.getProperty("tony.simulation.seed") != null;
    long most = Long.getLong("tony.simulation.seeds", JOBS_OF_THE_DAY);
    long jobs = one ? 0 : Math.min(most, JOBS_OF_THE_DAY);
    long first = LocalDate.now(ZoneOffset.UTC).toEpochDay() * 1_000_000;
    System.out.println("seeds of the day: " + jobs + " from " + first + " on");
    for (long seed = first; seed < first + jobs; seed++) {
      live(seed, true);
    }
  }

  /** Of the ways that jobs go, those that none of these has gone. */
  private Set<String> missing() {
    Set<String> phases =
        Set.of(
            "NEW to ALLOCATING",
            "ALLOCATING to BACKING_OFF",
            "ALLOCATING to REGISTERING",
            "ALLOCATING to RUNNING",
            "ALLOCATING to STOPPING",
            "BACKING_OFF to ALLOCATING",
            "REGISTERING to ALLOCATING",
            "REGISTERING to RUNNING",
            "REGISTERING to STOPPING",
            "RUNNING to ALLOCATING",
            "RUNNING to REGISTERING",
            "RUNNING to STOPPING",
            "STOPPING to FINISHED");
    Set<String> missing = paths.missing(phases);
    missing.removeIf(way -> SELDOM.matcher(way).matches());
    return missing;
  }

  /** Goes on behind a failure, and says at which seeds there were which. */
  private void census(long from, long seeds) {
    long began = System.currentTimeMillis();
    Map<String, List<Long>> broken = new TreeMap<>();
    boolean first = Boolean.getBoolean("tony.simulation.first");
    long seed = from;
    for (; seed < from + seeds && !(first && !broken.isEmpty()); seed++) {
      try {
        live(seed, seed % 8 != 0);
      } catch (AssertionError e) {
        Throwable why = e.getCause();
        String words = why instanceof AssertionError ? why.getMessage() : why.toString();
        String what = words.split("[0-9:{\\[(]", 2)[0];
        if (broken.isEmpty()) {
          System.out.println("first broken: " + what + ", at seed " + seed);
        }
        broken.computeIfAbsent(what, name -> new ArrayList<>()).add(seed);
      }
    }
    broken.forEach(
        (what, where) ->
            System.out.println(
                what
                    + ": "
                    + where.size()
                    + " times, first "
                    + where.subList(0, Math.min(5, where.size()))));
    System.out.println(paths);
    System.out.println(
        ("gangs that shrank %d, grew %d, joins %d, went on without %d, were started again %d;"
                + " masters %d")
            .formatted(shrunk, grown, joined, returned, restarts, masters));
    long took = Math.max(1, System.currentTimeMillis() - began);
    System.out.println(seed - from + " seeds, " + 1000 * (seed - from) / took + " a second");
    assertEquals(Set.of(), broken.keySet());
  }

  /**
   * Where nothing goes wrong, a job succeeds, or is stopped by a person, and starts nothing anew.
   */
  private static void assertQuiet(Simulation job) {
    assertNotEquals(JobResult.Status.FAILED, job.result().status());
    assertEquals("starts of the gang", 0, job.state().session());
    for (JobEvent fact : job.log()) {
      assertFalse(fact.toString(), TROUBLE.contains(fact.type()));
    }
  }

  /** Runs the job of a seed to its end, and on until nothing of it is under way. */
  private void live(long seed, boolean troubled) {
    Simulation job = new Simulation(seed, troubled);
    try {
      while (job.step()) {
        if (job.masterDies()) {
          job.loseMaster();
          masters++;
        }
      }
      if (!troubled) {
        assertQuiet(job);
      }
      Twins both = new Twins(job);
      both.compareAt(CUTS, new Random(seed));
      twins += both.told();
    } catch (AssertionError | RuntimeException e) {
      throw job.tale(e);
    }
    paths.add(job.paths());
    statuses.merge(job.result().status(), 1, Integer::sum);
    if (job.result().kind() == null) {
      succeededModes.add(job.job().mode());
    } else {
      kinds.add(job.result().kind());
    }
    futile += job.result().futile() ? 1 : 0;
    restarts += job.state().session();
    boolean joins = job.job().limits().elasticity().liveResize();
    for (JobEvent fact : job.log()) {
      if (fact.type() == JobEvent.Type.GANG_RESIZED) {
        boolean more =
            Integer.parseInt(fact.detail("instances")) > Integer.parseInt(fact.detail("from"));
        joined += more && joins ? 1 : 0;
        grown += more && !joins ? 1 : 0;
        shrunk += more || joins ? 0 : 1;
      } else if (fact.type() == JobEvent.Type.TASK_RESTARTED) {
        boolean ran =
            fact.detail("alone").equals("true") && fact.detail("replaced").equals("false");
        returned += joins && ran && job.job().role(fact.task().role()).isElastic() ? 1 : 0;
      }
    }
    givenBack +=
        job.log().stream()
            .filter(fact -> fact.type() == JobEvent.Type.GANG_RESTARTED)
            .filter(fact -> fact.detail("kind").equals("PREEMPTED"))
            .filter(fact -> fact.detail("charged").equals("nobody"))
            .count();
  }
}
