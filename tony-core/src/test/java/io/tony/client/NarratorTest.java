package io.tony.client;

import static io.tony.client.Told.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** What a person reads on the job's page. */
public class NarratorTest {
  private static final List<JobEvent> JOB =
      List.of(
          event(
              0,
              JobEvent.Type.JOB_SUBMITTED,
              "",
              "application",
              "application_1_0001",
              "queue",
              "ml",
              "trackingUrl",
              "http://rm:8088/proxy/application_1_0001/"),
          event(2, JobEvent.Type.AM_STARTED, "", "attempt", "1", "host", "node-1", "tasks", "2"),
          event(2, JobEvent.Type.GANG_REQUESTED, "", "tasks", "2", "resources", "2 × worker"),
          allocated(3, 0),
          allocated(3, 1),
          event(4, JobEvent.Type.TASK_REGISTERED, "worker:0", "endpoint", "node-1:7000"),
          event(5, JobEvent.Type.GANG_RUNNING, ""),
          event(5, JobEvent.Type.TASK_STARTED, "worker:0", "pid", "11"),
          event(5, JobEvent.Type.TASK_STARTED, "worker:1", "pid", "12"),
          progress(6, "10/100"),
          progress(8, "20/100"),
          progress(16, "60/100 loss 0.3"),
          progress(18, "70/100"),
          event(20, JobEvent.Type.TASK_SUCCEEDED, "worker:1", "exitCode", "0"),
          event(
              21,
              JobEvent.Type.TASK_FAILED,
              "worker:0",
              "message",
              "worker:0 exited with code 3",
              "log",
              "http://node-1/log"),
          event(
              21,
              JobEvent.Type.GANG_RESTARTED,
              "worker:0",
              "kind",
              "USER",
              "message",
              "worker:0 exited with code 3",
              "left",
              "0"),
          event(22, JobEvent.Type.GANG_REQUESTED, "", "tasks", "2", "resources", "2 × worker"),
          allocated(23, 0),
          event(24, JobEvent.Type.STOP_REQUESTED, "", "who", "ada"),
          event(24, JobEvent.Type.TASK_STOPPED, "worker:0"),
          event(25, JobEvent.Type.JOB_FINISHED, "", "status", "KILLED", "kind", "KILLED"));

  private static JobEvent allocated(int second, int index) {
    return event(
        second,
        JobEvent.Type.TASK_ALLOCATED,
        "worker:" + index,
        "container",
        "c" + index,
        "node",
        "node-1",
        "log",
        "http://node-1/c" + index);
  }

  private static JobEvent progress(int second, String text) {
    return event(second, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", text);
  }

  private static List<String> tell(List<JobEvent> events, boolean machine, boolean verbose) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Narrator narrator =
        new Narrator(new PrintStream(bytes, false, StandardCharsets.UTF_8), machine, verbose);
    events.forEach(narrator::tell);
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  public void shouldTellAJobInTheLinesThatAPersonWants() {
    assertEquals(
        """
        application_1_0001 submitted to queue ml: http://rm:8088/proxy/application_1_0001/
        ApplicationMaster is up on node-1, attempt 1
        asking for 2 × worker
        1/2 tasks allocated: worker:0 on node-1, log http://node-1/c0
        2/2 tasks allocated: worker:1 on node-1, log http://node-1/c1
        2/2 tasks running
        worker:0: 10/100
        worker:0: 60/100 loss 0.3 eta 8 s
        worker:0: 70/100 eta 6 s
        worker:1 succeeded
        worker:0 exited with code 3, log http://node-1/log
        the gang is started again (USER, 0 more after this): worker:0 exited with code 3
        asking for 2 × worker
        1/2 tasks allocated: worker:0 on node-1, log http://node-1/c0
        stop requested by ada"""
            .lines()
            .toList(),
        tell(JOB, false, false));
  }

  @Test
  public void shouldTellEverythingWhenAsked() {
    List<String> lines = tell(JOB, false, true);

    assertTrue(lines.contains("worker:0 registered with node-1:7000"));
    assertTrue(lines.contains("worker:1 started, process 12"));
    assertTrue(lines.contains("worker:0: 20/100 eta 16 s"));
    assertTrue(lines.contains("worker:0 stopped"));
  }

  @Test
  public void shouldTellAProgramEveryEventAsItIs() {
    List<String> lines = tell(JOB, true, false);

    assertEquals(
        JOB.stream().map(event -> "tony-event " + EventJson.write(event)).toList(),
        lines.stream().filter(line -> line.startsWith("tony-event ")).toList());
    assertEquals(
        tell(JOB, false, false),
        lines.stream().filter(line -> !line.startsWith("tony-event ")).toList());
  }

  @Test
  public void shouldPutAUrlAtTheEndOfItsLine() {
    for (String line : tell(JOB, false, true)) {
      assertTrue(line, !line.contains("http") || line.matches(".* https?://\\S+"));
    }
  }

  @Test
  public void shouldTellALargeJobInFewLines() {
    List<JobEvent> events = new ArrayList<>();
    events.add(event(2, JobEvent.Type.AM_STARTED, "", "attempt", "1", "host", "h", "tasks", "500"));
    for (int index = 0; index < 500; index++) {
      events.add(allocated(3, index));
    }
    for (int index = 0; index < 500; index++) {
      events.add(event(4, JobEvent.Type.TASK_STARTED, "worker:" + index, "pid", "1"));
      events.add(event(5, JobEvent.Type.TASK_SUCCEEDED, "worker:" + index));
    }

    List<String> lines = tell(events, false, false);

    assertEquals(
        List.of(
            "ApplicationMaster is up on h, attempt 1",
            "500/500 tasks allocated",
            "500/500 tasks running"),
        lines);
    assertFalse(tell(events, false, true).size() < 1000);
  }
}
