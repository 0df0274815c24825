package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

/** What one attempt of a job leaves for the next: its application, its checkpoints. */
public class AttemptsIT extends ClusterTest {

  /** A step of an Azkaban flow, by what the plugin tells of it. */
  private TonyCommand step(String job, int attempt, String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "-conf", "tony.azkaban.project=recommender",
                "-conf", "tony.azkaban.flow=nightly",
                "-conf", "tony.azkaban.execution=4711",
                "-conf", "tony.azkaban.job=" + job,
                "-conf", "tony.azkaban.attempt=" + attempt,
                "-conf", "tony.worker.instances=1"));
    all.addAll(List.of(arguments));
    return submit(all.toArray(String[]::new));
  }

  @Test
  public void shouldFollowTheApplicationOfAKilledClientInsteadOfTrainingTwice() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    String command = "while [ ! -e " + go + " ]; do sleep 0.1; done";
    try (TonyCommand first = step("attach", 0, "-executes", command)) {
      first.await("1/1 tasks running");
      first.kill();
      int before = applications();
      try (TonyCommand second = step("attach", 1, "-executes", command)) {
        second.await("this attempt follows it");
        second.await("1/1 tasks running");
        write("go", "");
        second.assertExit(0);
        assertEquals(first.application(), second.application());
      }
      assertEquals(before, applications());
    }
  }

  /** The signal comes while the client reads what its job is, long before it asks YARN. */
  @Test
  public void shouldKillTheApplicationOfAKilledClientWhenItIsStoppedAtOnce() throws Exception {
    try (TonyCommand first = step("stopped", 0, "-executes", "sleep 6565")) {
      first.await("1/1 tasks running");
      first.kill();
      Path job = folder.getRoot().toPath().resolve("job");
      assertEquals(0, new ProcessBuilder("mkfifo", job.toString()).start().waitFor());
      try (TonyCommand second =
          step("stopped", 1, "-executes", "sleep 6565", "-job_file", job.toString())) {
        try (Writer writer = Files.newBufferedWriter(job)) { // opened when the client reads it
          second.terminate();
          writer.write("tony.application.name=stopped");
        }
        second.assertExit(143);
        assertTrue(
            second.text(), second.text().contains("KILLED: " + first.application() + " was"));
      }
      assertEquals(
          YarnApplicationState.KILLED, report(first.application()).getYarnApplicationState());
      assertEquals(List.of(), processes("sleep 6565"));
    }
  }

  @Test
  public void shouldKillOrRefuseAnExistingApplicationWhereItIsToldTo() throws Exception {
    try (TonyCommand first = step("existing", 0, "-executes", "sleep 6161")) {
      first.await("1/1 tasks running");
      first.kill();
      try (TonyCommand refused =
          step("existing", 1, "-executes", "true", "-conf", "tony.azkaban.on-existing=fail")) {
        refused.assertExit(2);
        assertTrue(refused.text(), refused.text().contains("set tony.azkaban.on-existing"));
      }
      try (TonyCommand second =
          step("existing", 2, "-executes", "true", "-conf", "tony.azkaban.on-existing=kill")) {
        second.assertExit(0);
        assertTrue(second.text(), second.text().contains("it is killed first"));
      }
      assertEquals(
          YarnApplicationState.KILLED, report(first.application()).getYarnApplicationState());
      assertEquals(List.of(), processes("sleep 6161"));
    }
  }

  /** As when the client is killed between the end of the training and Azkaban's reading of it. */
  @Test
  public void shouldTakeTheResultOfAnEarlierAttemptThatSucceeded() throws Exception {
    Path starts = folder.getRoot().toPath().resolve("starts");
    Path output = folder.getRoot().toPath().resolve("output.json");
    String command = "echo start >> " + starts + "; echo loss=0.5 > $TONY_OUTPUT_FILE";
    String began = "tony.azkaban.flow-start=" + Instant.now();
    int before = applications();
    try (TonyCommand first = step("lost", 0, "-executes", command, "-conf", began)) {
      first.assertExit(0);
      try (TonyCommand second =
          step(
              "lost", 1, "-executes", command, "-conf", began, "-output_file", output.toString())) {
        second.assertExit(0);
        assertEquals(first.application(), second.application());
        assertTrue(second.text(), second.text().contains("has succeeded; its result is taken"));
      }
    }
    String outputs = Files.readString(output);
    assertTrue(outputs, outputs.contains("\"tony.output.loss\":\"0.5\""));
    assertEquals(before + 1, applications());

    // The same execution's id, of an Azkaban that counts from 1 again.
    String later = "tony.azkaban.flow-start=" + Instant.now().plus(Duration.ofHours(1));
    try (TonyCommand another = step("lost", 1, "-executes", command, "-conf", later)) {
      another.assertExit(0);
    }
    assertEquals(before + 2, applications());
    assertEquals(2, Files.readAllLines(starts).size());
  }

  @Test
  public void shouldKeepTheCheckpointFolderAndCountTheAttempts() throws Exception {
    String tell = "echo $TONY_ATTEMPT $TONY_CHECKPOINT_DIR";
    String[] first = told(step("resumed", 0, "-executes", tell + "; false"), 1);
    String[] second = told(step("resumed", 1, "-executes", tell), 0);
    String[] other = told(step("another", 0, "-executes", tell), 0);
    assertTrue(
        first[0] + " < " + second[0], Integer.parseInt(first[0]) < Integer.parseInt(second[0]));
    assertEquals(first[1], second[1]);
    assertTrue(first[1], first[1].startsWith("hdfs://"));
    assertNotEquals(first[1], other[1]);
  }

  /** As an SLA ends it; Azkaban tries such a job again. */
  @Test
  public void shouldGoOnFromTheCheckpointOfACancelledAttempt() throws Exception {
    Path root = folder.getRoot().toPath();
    Path steps = root.resolve("steps");
    // Its files are local, below a folder with the name that its checkpoints' folder has.
    Path count =
        write(
            "count.sh",
            """
            saved=%s/$(basename "$TONY_CHECKPOINT_DIR")
            mkdir -p "$saved"
            step=$(cat "$saved/step" 2> /dev/null || echo 0)
            while [ $step -lt 5 ]; do
              step=$((step + 1))
              echo "$TONY_ATTEMPT $step" >> %s
              echo $step > "$saved/step"
              if [ $step = 3 ]; then
                echo 3/5 > $TONY_PROGRESS_FILE
                sleep 6464
              fi
            done
            """
                .formatted(root, steps));
    String executes = "bash " + count;
    try (TonyCommand first = step("cancelled", 0, "-executes", executes)) {
      first.await("worker:0: 3/5");
      first.terminate();
      first.assertExit(143);
      try (TonyCommand second = step("cancelled", 1, "-executes", executes)) {
        second.assertExit(0);
        assertNotEquals(first.application(), second.application());
      }
      assertEquals(
          YarnApplicationState.KILLED, report(first.application()).getYarnApplicationState());
    }
    List<String[]> told =
        Files.readAllLines(steps, StandardCharsets.UTF_8).stream()
            .map(line -> line.split(" ", 2))
            .toList();
    assertEquals(List.of("1", "2", "3", "4", "5"), told.stream().map(line -> line[1]).toList());
    List<Integer> attempts =
        told.stream().map(line -> Integer.valueOf(line[0])).distinct().toList();
    assertEquals(attempts.toString(), 2, attempts.size());
    assertTrue(attempts.toString(), attempts.get(0) < attempts.get(1));
    assertEquals(List.of(), processes("sleep 6464"));
  }

  private static String[] told(TonyCommand command, int exitCode) throws Exception {
    try (command) {
      command.assertExit(exitCode);
      return log(command.application(), "worker:0", "stdout").strip().split(" ", 2);
    }
  }

  @Test
  public void shouldStopAJobThatNoClientAsksForWhenItIsToldTo() throws Exception {
    try (TonyCommand tony =
        step(
            "orphan", 0,
            "-executes", "sleep 6262",
            "-conf", "tony.application.client-lost-timeout=1000",
            "-conf", "tony.am.wait-client-signal-stop-timeout-sec=1")) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      tony.kill();
      assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
      assertEquals(List.of(), processes("sleep 6262"));
      // An ApplicationMaster that fell over would leave as little.
      JobEvent asked = events(application, JobEvent.Type.STOP_REQUESTED).get(0);
      String who = asked.detail("who");
      assertTrue(who, who.startsWith("tony.application.client-lost-timeout: no client has asked"));
      JobEvent end = events(application, JobEvent.Type.JOB_FINISHED).get(0);
      assertEquals("KILLED", end.detail("status"));
      assertEquals(1, events(application, JobEvent.Type.AM_STARTED).size());
      assertEquals(FinalApplicationStatus.KILLED, report(application).getFinalApplicationStatus());
    }
  }

  @Test
  public void shouldSubmitNothingInADryRun() throws Exception {
    int before = applications();
    try (TonyCommand tony =
        step("dry", 0, "-executes", "true", "-conf", "tony.azkaban.dry-run=true")) {
      tony.assertExit(0);
      assertTrue(
          tony.text(), tony.text().contains("dry is valid: 1 task; a dry run submits nothing"));
    }
    assertEquals(before, applications());
  }
}
