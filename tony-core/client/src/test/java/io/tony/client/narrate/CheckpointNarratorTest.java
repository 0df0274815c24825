package io.tony.client.narrate;

import static org.junit.Assert.assertEquals;

import io.tony.client.output.JobLog;
import io.tony.event.CheckpointFact;
import io.tony.event.CheckpointFact.SourceCheckpoint;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.Test;

public class CheckpointNarratorTest {
  private static final Instant NOW = Instant.parse("2026-11-24T03:12:45Z");
  private static final TaskId WORKER = new TaskId("worker", 0);

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final JobLog log = new JobLog(new PrintStream(text, true, StandardCharsets.UTF_8));
  private final CheckpointNarrator narrator = new CheckpointNarrator(log, false, ZoneOffset.UTC);

  private List<String> lines() {
    log.flush();
    return text.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static SourceCheckpoint source(boolean step, Instant made, String maker) {
    return new SourceCheckpoint("set", 1200, step, made, "application_1_0012", maker, "hdfs://c/m");
  }

  private void kept(int second, long number, int tasks, boolean whole) {
    narrator.onSaved(
        new CheckpointFact.CheckpointSaved(
                WORKER,
                "set",
                number,
                true,
                tasks,
                whole,
                1 << 20,
                1_200,
                NOW,
                "model.pt",
                "hdfs://c/" + number,
                null)
            .toEvent(NOW.plusSeconds(second), 0));
  }

  @Test
  public void shouldTellFromWhereAGangGoesOn() {
    narrator.onResumed(
        CheckpointFact.ResumeDecision.from(
                null, source(true, NOW.minusSeconds(3_580), "nightly.train, execution 17"))
            .toEvent(NOW, 1));
    narrator.onResumed(
        CheckpointFact.ResumeDecision.from(WORKER, source(false, NOW.minusSeconds(86_400), ""))
            .toEvent(NOW, 1));
    narrator.onResumed(
        CheckpointFact.ResumeDecision.clean(null, "it is of another code").toEvent(NOW, 1));

    assertEquals(
        List.of(
            "resumes from step 1200 (kept 02:13:05 by nightly.train, execution 17,"
                + " application_1_0012)",
            "worker:0 resumes from checkpoint 1200 (kept 2026-11-23 03:12:45 by"
                + " application_1_0012)",
            "starts clean: it is of another code"),
        lines());
  }

  @Test
  public void shouldTellOfKeptOnesOnceAMinute() {
    kept(0, 100, 1, true);
    kept(30, 200, 1, true);
    kept(59, 300, 1, true);
    kept(60, 400, 1, true);
    kept(200, 500, 2, false);

    assertEquals(
        List.of(
            "checkpoint of step 100 is kept (1.0 MiB in 1.2 s): hdfs://c/100",
            "checkpoint of step 400 is kept (1.0 MiB in 1.2 s): hdfs://c/400"),
        lines());
  }

  @Test
  public void shouldTellEachThatIsNotKeptAsLongAsThereIsRoom() {
    for (int i = 0; i < 1_000; i++) {
      narrator.onNotSaved(new CheckpointFact.CheckpointNotSaved(WORKER, "out/" + i, "it is empty"));
    }

    assertEquals(21, lines().size());
    assertEquals("the checkpoint out/0 of worker:0 is not kept: it is empty", lines().get(0));
    assertEquals("more checkpoints are not kept; -v or the event log names them", lines().get(20));
  }
}
