package io.tony.client.narrate;

import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.EventReplay;
import io.tony.client.follow.SampleEvents;
import io.tony.client.output.JobLog;
import io.tony.event.UsageFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
          event(6, JobEvent.Type.TENSORBOARD, "worker:0", "url", "http://node-1:6006"),
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
              "PROGRAM",
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
    JobLog log = new JobLog(bytes);
    Narrator narrator = new Narrator(log, machine, verbose);
    events.forEach(narrator::narrate);
    log.flushEvents();
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  public void shouldTellProgramsWhoseJobItIsButNotItsOptions() {
    JobEvent described =
        event(
            2, JobEvent.Type.JOB_DESCRIBED, "", "user", "ada", "option.tony.worker.instances", "2");

    assertEquals(List.of(), tell(List.of(described), false, true));
    String told = String.join("\n", tell(List.of(described), true, false));
    assertTrue(told, told.contains("\"user\":\"ada\""));
    assertFalse(told, told.contains("option."));
  }

  @Test
  public void shouldNameAStraggler() {
    JobEvent straggler =
        new UsageFact.Straggler(new TaskId("worker", 1), "node-1", "worker:1 is slow", false)
            .toEvent(SampleEvents.START, 0);
    assertEquals(List.of("worker:1 is slow"), tell(List.of(straggler), false, false));
  }

  @Test
  public void shouldTellTheGoodputInALine() {
    JobEvent goodput =
        new UsageFact.Goodput(10_000, 0, 90_000, Map.of(), 0, 0, true)
            .toEvent(SampleEvents.START, 0);
    assertEquals(
        List.of("goodput 90 %: trained 1m 30s; queue 10.0 s"),
        tell(List.of(goodput), false, false));
  }

  @Test
  public void shouldTellAPersonTheAdviceAndAProgramTheMetricsToo() {
    JobEvent metrics = event(10, JobEvent.Type.METRICS, "", "worker:0", "812 0.97");
    JobEvent advice =
        event(20, JobEvent.Type.ADVICE, "", "text", "tony.worker.memory=2g saves 2 GiB");
    String said = "advice: tony.worker.memory=2g saves 2 GiB";

    assertEquals(List.of(said), tell(List.of(metrics, advice), false, true));
    assertEquals(
        List.of(
            said, "tony-events [" + EventJson.write(metrics) + "," + EventJson.write(advice) + "]"),
        tell(List.of(metrics, advice), true, false));
  }

  @Test
  public void shouldTellWhenTheJobGoesOnWithoutItsLog() {
    JobEvent behind = event(10, JobEvent.Type.LOG_BEHIND, "", "message", "the quota is full");
    JobEvent caughtUp = event(12, JobEvent.Type.LOG_CAUGHT_UP, "");

    assertEquals(
        List.of("the quota is full", "the event log is written again, nothing of it is missing"),
        tell(List.of(behind, caughtUp), false, false));
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
        TensorBoard: http://node-1:6006
        worker:0: 10/100
        worker:0: 60/100 loss 0.3 eta 8 s
        worker:0: 70/100 eta 6 s
        worker:1 succeeded
        worker:0 exited with code 3, log http://node-1/log
        the gang is started again (PROGRAM, 0 more after this): worker:0 exited with code 3
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

    assertEquals(JOB, EventReplay.of(lines));
    assertEquals(
        tell(JOB, false, false), lines.stream().filter(line -> !EventReplay.isIn(line)).toList());
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

  // ---- Waiting for containers ----

  private static JobEvent started(int tasks) {
    return event(2, JobEvent.Type.AM_STARTED, "", "attempt", "1", "host", "h", "tasks", "" + tasks);
  }

  private static JobEvent waiting(int second, String free, String lacking) {
    return event(
        second,
        JobEvent.Type.GANG_WAITING,
        "",
        "missing",
        "2 × worker (2048 MiB, 1 vcore)",
        "free",
        free,
        "short",
        lacking);
  }

  private static JobEvent backedOff(int second) {
    return event(
        second,
        JobEvent.Type.GANG_BACKED_OFF,
        "",
        "missing",
        "1 × worker (2048 MiB, 1 vcore)",
        "free",
        "",
        "short",
        "memory, vcores",
        "wait",
        "30 s");
  }

  private static JobEvent asking(int second, int tasks) {
    return event(
        second,
        JobEvent.Type.GANG_REQUESTED,
        "",
        "tasks",
        Integer.toString(tasks),
        "resources",
        tasks + " × worker");
  }

  @Test
  public void shouldTellWhatIsWaitedForAndWhatIsShort() {
    assertEquals(
        """
        ApplicationMaster is up on h, attempt 1
        asking for 3 × worker
        1/3 tasks allocated: worker:0 on node-1, log http://node-1/c0
        waits for 2 of 3 containers: 2 × worker (2048 MiB, 1 vcore); \
        the queue has 1024 MiB, 3 vcores left: memory is short"""
            .lines()
            .toList(),
        tell(
            List.of(
                started(3),
                asking(3, 3),
                allocated(3, 0),
                waiting(4, "1024 MiB, 3 vcores", "memory")),
            false,
            false));
    assertEquals(
        List.of("waits for 3 of 3 containers: 2 × worker (2048 MiB, 1 vcore)"),
        tell(List.of(started(3), asking(3, 3), waiting(4, "", "")), false, false).subList(2, 3));
    assertEquals(
        List.of(
            "waits for 3 of 3 containers: 2 × worker (2048 MiB, 1 vcore); the queue has 3072 MiB, 5"
                + " vcores left: enough in sum for one, but perhaps not on any single node"),
        tell(List.of(started(3), asking(3, 3), waiting(4, "3072 MiB, 5 vcores", "")), false, false)
            .subList(2, 3));
  }

  @Test
  public void shouldTellAGangThatBacksOffAgainAndAgainInFewLines() {
    List<JobEvent> events = new ArrayList<>(List.of(started(2), asking(2, 2)));
    for (int second = 10; second < 8 * 3600; second += 40) {
      events.add(allocated(second, 0));
      events.add(waiting(second + 1, "0 MiB, 0 vcores", "memory"));
      events.add(backedOff(second + 5));
      events.add(asking(second + 35, 2));
    }
    events.add(allocated(30_000, 0));
    events.add(allocated(30_001, 1));

    List<String> lines = tell(events, false, false);

    assertEquals(
        List.of(
            "ApplicationMaster is up on h, attempt 1",
            "asking for 2 × worker",
            "1/2 tasks allocated: worker:0 on node-1, log http://node-1/c0",
            "waits for 1 of 2 containers: 2 × worker (2048 MiB, 1 vcore);"
                + " the queue has 0 MiB, 0 vcores left: memory is short",
            "gives its containers back and asks again in 30 s, others may be waiting for them;"
                + " missing were 1 × worker (2048 MiB, 1 vcore): memory, vcores are short"),
        lines.subList(0, 5));
    assertEquals(
        List.of(
            "1/2 tasks allocated: worker:0 on node-1, log http://node-1/c0",
            "2/2 tasks allocated: worker:1 on node-1, log http://node-1/c1"),
        lines.subList(lines.size() - 2, lines.size()));
    assertTrue(lines.size() + " lines", lines.size() < 200);
  }

  @Test
  public void shouldSayThatTheQueueMayBeFullOnlyOfWhatWasAskedFor() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Narrator narrator = new Narrator(new JobLog(bytes), false, false);
    List.of(started(3), asking(3, 1), allocated(4, 0)).forEach(narrator::narrate);
    bytes.reset();

    narrator.narrateWait(); // a first stage runs, the two tasks of the next wait for its end
    assertEquals("", bytes.toString(StandardCharsets.UTF_8));

    narrator.narrate(asking(60, 2));
    bytes.reset();
    narrator.narrateWait();
    assertEquals(
        "1/3 tasks allocated: YARN has no room for the others yet, the queue may be full\n",
        bytes.toString(StandardCharsets.UTF_8));
  }

  // ---- Starting again ----

  private static JobEvent gangRestarted(int second, String kept, String done) {
    return event(
        second,
        JobEvent.Type.GANG_RESTARTED,
        "worker:1",
        "kind",
        "LOST",
        "message",
        "silent",
        "left",
        "0",
        "kept",
        kept,
        "done",
        done);
  }

  @Test
  public void shouldCountWhatStaysDoneWhenTheGangStartsAgain() {
    List<String> lines =
        tell(
            List.of(
                started(2),
                asking(3, 1),
                allocated(3, 0),
                running(4, 0),
                event(5, JobEvent.Type.TASK_SUCCEEDED, "worker:0", "exitCode", "0"),
                asking(6, 1),
                allocated(7, 1),
                running(8, 1),
                gangRestarted(9, "0", "worker"),
                allocated(10, 1),
                running(11, 1)),
            false,
            false);

    assertEquals(
        List.of(
            "2/2 tasks allocated: worker:1 on node-1, log http://node-1/c1", "2/2 tasks running"),
        lines.subList(lines.size() - 2, lines.size()));
  }

  /** A role that others waited for is done, though one of its tasks has failed. */
  @Test
  public void shouldCountWhatHasFailedAndStaysSoWhenTheGangStartsAgain() {
    List<String> lines =
        tell(
            List.of(
                started(4),
                asking(3, 2),
                placed(3, "prep:0"),
                placed(3, "prep:1"),
                event(4, JobEvent.Type.TASK_STARTED, "prep:0", "pid", "1"),
                event(4, JobEvent.Type.TASK_STARTED, "prep:1", "pid", "1"),
                event(5, JobEvent.Type.TASK_SUCCEEDED, "prep:0", "exitCode", "0"),
                event(5, JobEvent.Type.TASK_FAILED, "prep:1", "message", "it failed", "log", "l"),
                asking(6, 2),
                placed(7, "worker:0"),
                placed(7, "worker:1"),
                running(8, 0),
                running(8, 1),
                event(9, JobEvent.Type.TASK_FAILED, "worker:1", "message", "silent", "log", "l"),
                gangRestarted(9, "1", "prep"),
                asking(9, 1),
                placed(10, "worker:1"),
                running(11, 0),
                running(11, 1)),
            false,
            false);

    assertEquals(
        List.of("4/4 tasks allocated: worker:1 on node-1, log log-1", "4/4 tasks running"),
        lines.subList(lines.size() - 2, lines.size()));
  }

  private static JobEvent placed(int second, String task) {
    return event(
        second,
        JobEvent.Type.TASK_ALLOCATED,
        task,
        "container",
        "c-" + task,
        "node",
        "node-1",
        "log",
        "log-1");
  }

  @Test
  public void shouldTellWhatIsStartedAgainAndWhatIsKept() {
    assertEquals(
        """
        ApplicationMaster is up on h, attempt 1
        1/2 tasks allocated: worker:0 on node-1, log http://node-1/c0
        2/2 tasks allocated: worker:1 on node-1, log http://node-1/c1
        2/2 tasks running
        worker:0 is started again in its container (PROGRAM, 2 more after this): exit code 3
        2/2 tasks running
        worker:1 is started again in a new container (LOST, 1 more after this): node-1 is lost
        node node-1 is avoided: two containers were lost on it
        2/2 tasks allocated: worker:1 on node-1, log http://node-1/c1
        2/2 tasks running
        the gang is started again (LOST, 0 more after this, 1 of 2 containers are kept): silent
        2/2 tasks allocated: worker:1 on node-1, log http://node-1/c1
        the job goes on without evaluator: its time has passed"""
            .lines()
            .toList(),
        tell(
            List.of(
                started(2),
                allocated(3, 0),
                allocated(3, 1),
                running(4, 0),
                running(4, 1),
                restarted(5, 0, "PROGRAM", "2", "exit code 3", "kept"),
                running(6, 0),
                running(6, 0), // told by a second ApplicationMaster
                restarted(7, 1, "LOST", "1", "node-1 is lost", "new"),
                event(
                    7,
                    JobEvent.Type.NODE_AVOIDED,
                    "",
                    "node",
                    "node-1",
                    "message",
                    "two containers were lost on it"),
                allocated(8, 1),
                running(9, 1),
                gangRestarted(10, "1", ""),
                allocated(11, 1),
                event(
                    12,
                    JobEvent.Type.ROLE_EXCUSED,
                    "",
                    "role",
                    "evaluator",
                    "message",
                    "its time has passed"),
                event(13, JobEvent.Type.JOB_STOPPING, "", "status", "SUCCEEDED")),
            false,
            false));
  }

  private static JobEvent running(int second, int index) {
    return event(second, JobEvent.Type.TASK_STARTED, "worker:" + index, "pid", "1");
  }

  private static JobEvent restarted(
      int second, int index, String kind, String left, String message, String where) {
    return event(
        second,
        JobEvent.Type.TASK_RESTARTED,
        "worker:" + index,
        "kind",
        kind,
        "message",
        message,
        "left",
        left,
        "attempt",
        "7",
        "where",
        where);
  }

  @Test
  public void shouldTellThatAnotherApplicationMasterTookTheTasksOver() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Narrator narrator = new Narrator(new JobLog(bytes), false, false);
    narrator.narrate(started(2));
    narrator.narrateMasterLoss(null);
    narrator.narrate(running(3, 0));
    narrator.narrateMasterLoss("node-1");
    narrator.narrate(
        event(
            9,
            JobEvent.Type.AM_STARTED,
            "",
            "attempt",
            "3",
            "host",
            "node-2",
            "tasks",
            "2",
            "running",
            "2"));

    assertEquals(
        List.of(
            "ApplicationMaster is up on h, attempt 1",
            "the ApplicationMaster is lost; YARN starts another",
            "the ApplicationMaster on host node-1 is lost; YARN starts another, the tasks train on",
            "ApplicationMaster attempt 3 on node-2 took over 2 running tasks"),
        bytes.toString(StandardCharsets.UTF_8).lines().toList());
  }

  private static JobEvent failed(int second, int index, String stderr) {
    return event(
        second,
        JobEvent.Type.TASK_FAILED,
        "worker:" + index,
        "message",
        "worker:" + index + " exited with code 1",
        "log",
        "http://node-1/log",
        "stderr",
        stderr);
  }

  @Test
  public void shouldTellTheLastLineOfTheStderrOfWhatIsStartedAgain() {
    String traceback = "Traceback (most recent call last):\n  in train\nKeyError: 'x'\n\n";
    assertEquals(
        """
        worker:0 exited with code 1, log http://node-1/log
        worker:0 is started again in its container (PROGRAM, 2 more after this): exit code 1
          the last line of the stderr of worker:0: KeyError: 'x'
        worker:1 exited with code 1, log http://node-1/log
        the gang is started again (LOST, 0 more after this, 2 of 0 containers are kept): silent
          the last line of the stderr of worker:1: out of memory
        worker:0 is started again in its container (LOST, 2 more after this): node lost"""
            .lines()
            .toList(),
        tell(
            List.of(
                failed(5, 0, traceback),
                restarted(5, 0, "PROGRAM", "2", "exit code 1", "kept"),
                failed(6, 1, "out of memory"),
                gangRestarted(6, "2", ""),
                restarted(7, 0, "LOST", "2", "node lost", "kept")),
            false,
            false));
  }

  private static JobEvent stands(int index, String where) {
    return event(6, JobEvent.Type.TASK_STANDS, "worker:" + index, "where", where);
  }

  private static JobEvent runs(int index) {
    return event(5, JobEvent.Type.TASK_STARTED, "worker:" + index, "pid", "1");
  }

  /** In one line, once all have told it, or at the latest when they run again. */
  @Test
  public void shouldTellWhereTheTasksStandOfAGangThatHangs() {
    assertEquals(
        List.of(
            "the gang is started again (LOST, 0 more after this, 2 of 0 containers are kept): silent",
            "worker:0 hangs in read (loader.py:14); worker:1 hangs in wait (peer.py:2)",
            "worker:1 hung in wait (peer.py:2)"),
        tell(
            List.of(
                runs(0),
                runs(1),
                stands(0, "read (loader.py:14)"),
                gangRestarted(6, "2", ""),
                stands(1, "wait (peer.py:2)"),
                runs(0),
                runs(1),
                stands(1, "wait (peer.py:2)"),
                event(7, JobEvent.Type.GANG_RUNNING, "")),
            false,
            false));
  }

  private static JobEvent cause(int second, String more, String besides) {
    return event(
        second,
        JobEvent.Type.FIRST_CAUSE,
        "worker:0",
        "kind",
        "LOST",
        "message",
        "worker:0 was ended by signal 11 (exit code 139)",
        "stderr",
        "a step\nSegmentation fault",
        "node",
        "node-1",
        "log",
        "http://node-1/log",
        "gang",
        "0",
        "other",
        "worker:1",
        "more",
        more,
        "how",
        "connection closed by peer",
        "besides",
        besides,
        "refund",
        "PROGRAM",
        "left",
        "3");
  }

  @Test
  public void shouldNameTheFirstCauseAndItsLastLineOnce() {
    assertEquals(
        """
        worker:1 exited with code 1, log http://node-1/log
        the gang is started again (LOST, 0 more after this, 2 of 0 containers are kept): silent
          the last line of the stderr of worker:1: Connection closed by peer
        the first cause: worker:0 was ended by signal 11 (exit code 139); worker:1 failed because \
        of it (connection closed by peer); the restart is not charged as PROGRAM, of which 3 more are \
        left, log http://node-1/log
          the last line of the stderr of worker:0: Segmentation fault
        the first cause: worker:0 was ended by signal 11 (exit code 139); worker:1 and 2 more \
        failed because of it (connection closed by peer); 1 task more failed about then; the \
        restart is not charged as PROGRAM, of which 3 more are left, log http://node-1/log"""
            .lines()
            .toList(),
        tell(
            List.of(
                failed(5, 1, "Connection closed by peer"),
                gangRestarted(6, "2", ""),
                cause(6, "0", "0"),
                cause(7, "2", "1")),
            false,
            false));
  }

  @Test
  public void shouldShortenTheLineThatTellsWhy() {
    List<String> lines =
        tell(
            List.of(
                failed(5, 0, "a\nValueError: " + "x".repeat(5_000)),
                restarted(5, 0, "PROGRAM", "2", "exit code 1", "kept")),
            false,
            false);

    assertTrue(lines.get(2), lines.get(2).endsWith("x…"));
    assertTrue(lines.get(2), lines.get(2).length() < StderrTail.MAX_CHARS + 60);
  }

  @Test
  public void shouldTellHowFarAProgramWasBeforeItFailed() {
    JobEvent first = progress(1, "5900/8000");
    JobEvent last = progress(2, "6000/8000");

    assertEquals(
        List.of(
            "worker:0: 5900/8000",
            "worker:0: 6000/8000 eta 20 s",
            "worker:0 exited with code 1, log http://node-1/log"),
        tell(List.of(first, last, failed(3, 0, "")), false, false));
    assertEquals(
        "of the others it is not the end",
        2,
        tell(List.of(first, last, failed(3, 1, "")), false, false).size());
    JobEvent stopped = event(3, JobEvent.Type.TASK_STOPPED, "worker:0");
    assertEquals(
        List.of("worker:0: 5900/8000", "worker:0: 6000/8000 eta 20 s"),
        tell(List.of(first, last, stopped), false, false));
  }

  /** The follower skips an event for which the narrator throws this exception. */
  @Test
  public void shouldRejectAStopThatNamesNoTask() {
    List<JobEvent> events = List.of(event(3, JobEvent.Type.TASK_STOPPED, ""));

    assertThrows(IllegalArgumentException.class, () -> tell(events, false, false));
  }

  /** It goes on from a checkpoint; before the failure it was slow. */
  @Test
  public void shouldCountTheTimeThatIsLeftFromTheNewStart() {
    List<List<JobEvent>> restarts =
        List.of(
            List.of(gangRestarted(401, "2", "")),
            List.of(failed(401, 0, ""), restarted(401, 0, "PROGRAM", "2", "exit code 1", "kept")));
    for (List<JobEvent> again : restarts) {
      List<JobEvent> events = new ArrayList<>();
      events.add(progress(1, "0/100"));
      events.add(progress(401, "60/100"));
      events.addAll(again);
      events.add(progress(420, "60/100"));
      events.add(progress(430, "70/100"));

      List<String> lines = tell(events, false, true);

      assertTrue(lines.toString(), lines.contains("worker:0: 60/100 eta 4m 27s"));
      assertTrue(lines.toString(), lines.contains("worker:0: 60/100"));
      assertEquals("worker:0: 70/100 eta 30 s", lines.get(lines.size() - 1));
    }
    assertTrue(
        "another's start is not its own",
        tell(
                List.of(
                    progress(1, "0/100"),
                    restarted(2, 1, "PROGRAM", "2", "m", "kept"),
                    progress(11, "50/100")),
                false,
                true)
            .contains("worker:0: 50/100 eta 10 s"));
  }

  @Test
  public void shouldTellAThousandMishapsInFewLines() {
    List<JobEvent> events = new ArrayList<>(List.of(started(10_000)));
    for (int index = 0; index < 10_000; index++) {
      events.add(
          event(5, JobEvent.Type.TASK_FAILED, "worker:" + index, "message", "m", "log", "l"));
      events.add(restarted(5, index, "LOST", "1", "m", "new"));
    }

    assertEquals(22, tell(events, false, false).size());
    assertEquals(20_001, tell(events, false, true).size());
  }

  @Test
  public void shouldTellANightsProgressInFewLines() {
    List<JobEvent> events = new ArrayList<>(List.of(started(1)));
    for (int second = 0; second < 10 * 3600; second += 2) {
      events.add(progress(second, second + "/36000"));
    }

    int lines = tell(events, false, false).size();

    assertTrue(lines + " lines", lines > 50 && lines < 120);
  }

  @Test
  public void shouldTellWhoPaysForARestart() {
    List<String> lines =
        tell(
            List.of(
                event(
                    1,
                    JobEvent.Type.TASK_RESTARTED,
                    "worker:0",
                    "kind",
                    "LOST",
                    "left",
                    "2",
                    "charged",
                    "job",
                    "message",
                    "gone"),
                event(
                    2,
                    JobEvent.Type.TASK_RESTARTED,
                    "worker:1",
                    "kind",
                    "LOST",
                    "charged",
                    "incident",
                    "message",
                    "gone"),
                event(
                    3,
                    JobEvent.Type.GANG_RESTARTED,
                    "worker:0",
                    "kind",
                    "AM_LOST",
                    "charged",
                    "nobody",
                    "message",
                    "taken")),
            false,
            false);

    assertEquals(
        List.of(
            "worker:0 is started again in a new container (LOST, 2 more after this): gone",
            "worker:1 is started again in a new container (LOST, charged with an earlier loss):"
                + " gone",
            "the gang is started again (AM_LOST, not charged): taken"),
        lines);
  }

  @Test
  public void shouldTellWhichOutputsAreLeftOut() {
    JobEvent success =
        event(1, JobEvent.Type.TASK_SUCCEEDED, "worker:0", "outputsLeftOut", "too large");

    assertTrue(tell(List.of(success), false, false).contains("worker:0: too large"));
  }
}
