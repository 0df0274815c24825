package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/**
 * Whatever part of a running job is killed, the job ends with the result of a job that nobody
 * disturbed. What is killed, and when, comes from a seed, another one each day, which is printed:
 * {@code -Dtony.chaos.seed} repeats it.
 */
public class ChaosIT extends ClusterTest {
  private static final int WORKERS = 3;
  private static final String RUNNING = "3/3 tasks running";
  private static final int STEPS = 30;
  private static final int CHECKPOINT_EVERY = 5;

  /**
   * Adds up its steps, and has the sum in its checkpoints. It does not come beyond the middle
   * before it may, so that it still runs when it is to be killed.
   */
  private static final String PROGRAM =
      """
      import json, os, time
      folder = os.environ["TONY_CHECKPOINT_DIR"]
      me = os.path.join(folder, os.environ["TASK_INDEX"])
      step, total = 0, 0
      if os.path.exists(me + ".json"):
          step, total = json.load(open(me + ".json"))
      with open(me + ".log", "a", buffering=1) as log:
          while step < 30:
              while step == 15 and not os.path.exists(os.path.join(folder, "go")):
                  time.sleep(0.05)
              step, total = step + 1, total + step + 1
              log.write(os.environ["TONY_ATTEMPT"] + " " + str(step) + "\\n")
              if step % 5 == 0:
                  with open(me + ".new", "w") as checkpoint:
                      json.dump([step, total], checkpoint)
                  os.replace(me + ".new", me + ".json")
              time.sleep(0.02)
      """;

  private enum Victim {
    PROGRAM,
    EXECUTOR,
    MASTER
  }

  private final long seed =
      Long.getLong("tony.chaos.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay());

  private final Random random = new Random(seed);
  private Path checkpoints;

  @Before
  public void writeTheProgram() throws Exception {
    System.out.println("-Dtony.chaos.seed=" + seed);
    write("src/count.py", PROGRAM);
  }

  /** Of every kind two, in any order. */
  @Test
  public void shouldEndWithTheSameResultWhateverProcessIsKilled() throws Exception {
    List<Victim> victims = new ArrayList<>();
    for (Victim victim : Victim.values()) {
      victims.addAll(List.of(victim, victim));
    }
    Collections.shuffle(victims, random);
    for (int round = 0; round < victims.size(); round++) {
      Victim victim = victims.get(round);
      try {
        kill(victim, round);
        nothingIsLeft();
      } catch (AssertionError e) {
        throw new AssertionError(
            "round " + round + " (" + victim + ") with -Dtony.chaos.seed=" + seed, e);
      }
    }
  }

  private TonyCommand train(String name) throws Exception {
    checkpoints = folder.newFolder(name).toPath();
    return submit(
        "-executes",
        "count.py",
        "-python_binary_path",
        "python3",
        "-src_dir",
        "src",
        "-conf",
        "tony.worker.instances=" + WORKERS,
        "-conf",
        "tony.gang.max-restarts=1",
        "-conf",
        "tony.gang.max-lost-restarts=1",
        "-conf",
        "tony.am.max-attempts=2",
        "-conf",
        "tony.application.checkpoint-dir=" + checkpoints);
  }

  private void kill(Victim victim, int round) throws Exception {
    try (TonyCommand tony = train("round-" + round)) {
      tony.await(RUNNING);
      String application = tony.application();
      switch (victim) {
        case PROGRAM -> {
          List<JobEvent> started = events(application, JobEvent.Type.TASK_STARTED);
          kill(Long.parseLong(started.get(random.nextInt(WORKERS)).detail("pid")));
          tony.await(RUNNING, 2);
        }
        case EXECUTOR -> {
          kill(List.copyOf(executors().values()).get(random.nextInt(WORKERS)));
          tony.await(RUNNING, 2);
        }
        case MASTER -> {
          killMaster();
          tony.awaitTakeover(WORKERS);
        }
      }
      Files.createFile(checkpoints.resolve("go"));
      tony.assertExit(0);

      List<JobEvent> restarts = events(application, JobEvent.Type.GANG_RESTARTED);
      List<String> expected =
          switch (victim) {
            case PROGRAM -> List.of("PROGRAM, 3 kept");
            case EXECUTOR -> List.of("LOST, 2 kept");
            case MASTER -> List.of();
          };
      assertEquals(
          expected,
          restarts.stream()
              .map(e -> e.detail("kind") + ", " + e.detail("kept") + " kept")
              .toList());
      assertEquals(
          victim == Victim.MASTER ? 2 : 1, events(application, JobEvent.Type.AM_STARTED).size());
      assertTrained(application, victim == Victim.MASTER ? 1 : 2);
    }
  }

  private static void kill(long pid) {
    assertTrue("process " + pid, ProcessHandle.of(pid).orElseThrow().destroyForcibly());
  }

  /** Every worker has the sum of all steps, and none began behind its last checkpoint. */
  private void assertTrained(String application, int attempts) throws Exception {
    assertEquals(FinalApplicationStatus.SUCCEEDED, report(application).getFinalApplicationStatus());
    for (int worker = 0; worker < WORKERS; worker++) {
      assertEquals(
          "[" + STEPS + ", " + STEPS * (STEPS + 1) / 2 + "]",
          Files.readString(checkpoints.resolve(worker + ".json"), StandardCharsets.UTF_8));
      assertResumes(
          attempts,
          Files.readAllLines(checkpoints.resolve(worker + ".log"), StandardCharsets.UTF_8));
    }
  }

  private static void assertResumes(int attempts, List<String> log) {
    int attempt = 0;
    int step = 0;
    int seen = 0;
    for (String line : log) {
      int nextAttempt = Integer.parseInt(line.substring(0, line.indexOf(' ')));
      int nextStep = Integer.parseInt(line.substring(line.indexOf(' ') + 1));
      if (seen == 0 || nextAttempt > attempt) {
        seen++;
        assertEquals(log.toString(), 0, (nextStep - 1) % CHECKPOINT_EVERY);
        assertTrue(log.toString(), nextStep - 1 >= step - CHECKPOINT_EVERY);
      } else {
        assertEquals(log.toString(), attempt, nextAttempt);
        assertEquals(log.toString(), step + 1, nextStep);
      }
      attempt = nextAttempt;
      step = nextStep;
    }
    assertEquals(log.toString(), STEPS, step);
    assertTrue(log.toString(), seen <= attempts);
  }

  // ---- A node ----

  private int stoppedNode = -1;

  @After
  public void startTheNodeAgain() throws Exception {
    if (stoppedNode >= 0) {
      cluster().startNodeManager(stoppedNode);
    }
  }

  /** One that holds the ApplicationMaster, or tasks, or both. */
  @Test
  public void shouldEndWithTheSameResultWhenANodeIsLost() throws Exception {
    try (TonyCommand tony = train("node")) {
      tony.await(RUNNING);
      String application = tony.application();
      String master = events(application, JobEvent.Type.AM_STARTED).get(0).detail("host");
      List<String> tasks =
          events(application, JobEvent.Type.TASK_ALLOCATED).stream()
              .map(event -> event.detail("node"))
              .toList();
      List<String> used = new ArrayList<>(tasks);
      used.add(master);
      String lost = used.get(random.nextInt(used.size()));
      awaitReported(application);
      stoppedNode = Integer.parseInt(lost.substring(lost.lastIndexOf('.') + 1)) - 1;
      cluster().stopNodeManager(stoppedNode);
      if (tasks.contains(lost)) {
        tony.await(RUNNING, 2);
      } else {
        tony.awaitTakeover(WORKERS);
      }
      Files.createFile(checkpoints.resolve("go"));
      tony.assertExit(0);

      List<JobEvent> restarts = events(application, JobEvent.Type.GANG_RESTARTED);
      assertEquals(restarts.toString(), tasks.contains(lost) ? 1 : 0, restarts.size());
      assertEquals(
          master.equals(lost) ? 2 : 1, events(application, JobEvent.Type.AM_STARTED).size());
      assertTrained(application, 2);
    } catch (AssertionError e) {
      throw new AssertionError("with -Dtony.chaos.seed=" + seed, e);
    }
  }
}
