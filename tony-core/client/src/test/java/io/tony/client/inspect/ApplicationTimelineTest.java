package io.tony.client.inspect;

import static io.tony.timeline.WrittenLog.START;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.timeline.WrittenLog;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code tony timeline} with logs in a folder, and what YARN says of their applications. */
public class ApplicationTimelineTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final ReportedYarn yarn = new ReportedYarn();
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private void write(List<JobEvent> events) throws Exception {
    Path log = folder.newFolder("history", ReportedYarn.APPLICATION.toString()).toPath();
    Files.write(
        log.resolve("events.jsonl"),
        events.stream().map(EventJson::write).toList(),
        StandardCharsets.UTF_8);
  }

  private String show(boolean json, String picture) throws Exception {
    Map<String, String> values =
        Map.of(
            ClientOptions.HISTORY_LOCATION.key(), new File(folder.getRoot(), "history").toString());
    JobLog out = new JobLog(printed);
    ApplicationTimeline timeline =
        new ApplicationTimeline(
            new Configuration(),
            yarn,
            TonyConfig.builder().layer("test", values).build(),
            ReportedYarn.APPLICATION);
    assertEquals(ExitCode.SUCCEEDED, timeline.print(json, picture, out));
    out.flush();
    return printed.toString(StandardCharsets.UTF_8);
  }

  private void report(YarnApplicationState state, double launched, double finished) {
    yarn.show(state, 1, "host", -1);
    yarn.showTimes(
        START.minusSeconds(3).toEpochMilli(),
        WrittenLog.second(launched).toEpochMilli(),
        WrittenLog.second(finished).toEpochMilli());
  }

  @Test
  public void shouldPrintWhatYarnAndTheLogTell() throws Exception {
    write(WrittenLog.whole().events());
    report(YarnApplicationState.FINISHED, -2, 31.5);
    String text = show(false, null);
    assertTrue(text, text.contains("application_1_0001, queue ml"));
    assertTrue(text, text.contains("SUCCEEDED, 34.5 s from 2026-11-23T07:59:57Z"));
    assertTrue(text, text.contains("master's files arrive"));
    assertTrue(text, text.contains("worker:1"));
  }

  @Test
  public void shouldDoWithTheLogWhereYarnHasForgottenTheApplication() throws Exception {
    write(WrittenLog.whole().events());
    String text = show(true, null);
    assertTrue(text, text.startsWith("{\"application\":\"application_1_0001\""));
    assertTrue(text, text.contains("\"status\":\"SUCCEEDED\""));
  }

  /** Of a job that runs: until now, by this machine's clock. */
  @Test
  public void shouldShowAJobThatRuns() throws Exception {
    write(WrittenLog.plain().events());
    report(YarnApplicationState.RUNNING, -2, 0);
    String text = show(false, null);
    assertTrue(text, text.contains("NOT ENDED"));
    assertTrue(text, text.contains("runs on"));
    assertFalse(text, text.contains("note:"));
  }

  @Test
  public void shouldDrawIntoAFile() throws Exception {
    write(WrittenLog.whole().events());
    Path picture = folder.getRoot().toPath().resolve("timeline.svg");
    String text = show(false, picture.toString());
    assertEquals("The timeline of application_1_0001 is drawn in " + picture + "\n", text);
    assertTrue(Files.readString(picture).startsWith("<svg "));

    String missing = folder.getRoot() + "/none/timeline.svg";
    InvalidJobException e = assertThrows(InvalidJobException.class, () -> show(false, missing));
    assertTrue(e.problems().toString(), e.problems().get(0).contains(missing));
  }

  @Test
  public void shouldSayThatNobodyKnowsTheApplication() {
    InvalidJobException e = assertThrows(InvalidJobException.class, () -> show(false, null));
    String problem = e.problems().get(0);
    assertTrue(problem, problem.startsWith("YARN does not know application_1_0001, and "));
    assertTrue(problem, problem.contains("history/application_1_0001 has no event log of it"));
    assertTrue(problem, problem.contains("-conf tony.history.location=FOLDER"));
  }

  @Test
  public void shouldShowWhatYarnKnowsOfAJobWithoutALog() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "host", -1);
    yarn.showTimes(START.minusSeconds(3).toEpochMilli(), 0, 0);
    String text = show(false, null);
    assertTrue(text, text.contains("YARN starts the master"));
    assertTrue(
        text, text.contains("has no event log of it: its ApplicationMaster has not come up"));
  }
}
