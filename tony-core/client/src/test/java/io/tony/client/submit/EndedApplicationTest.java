package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.client.follow.ReportedYarn;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.event.Fact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.MonthOfEvents;
import io.tony.model.JobResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class EndedApplicationTest {
  private static final Map<String, String> OPTIONS =
      Map.of(JobOptions.CHECKPOINT_DIR.key(), "hdfs://c/7");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private static JobDescription description() {
    return new JobDescription(
        "ada", "ml", "train", "", JobDescription.AzkabanStep.NONE, OPTIONS, "");
  }

  private ApplicationReport write() throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add(
        line(new JobFact.MasterStarted(1, "node-1", 1, null, JobFact.LaunchTimes.UNKNOWN), true));
    lines.add(line(new JobFact.Described(description()), false));
    for (int number = 0; number < 1_000; number++) {
      lines.add(line(MonthOfEvents.progress(number), false));
    }
    lines.add(line(new JobFact.Finished(JobResult.succeeded("done")), false));
    Path folder = temporary.newFolder(ReportedYarn.APPLICATION.toString()).toPath();
    Files.write(folder.resolve("events.jsonl"), lines);
    ReportedYarn yarn = new ReportedYarn();
    yarn.show(YarnApplicationState.FINISHED, 1, "N/A", -1);
    return yarn.getApplicationReport(ReportedYarn.APPLICATION);
  }

  private static String line(Fact fact, boolean more) {
    return EventJson.write(fact.toEvent(Instant.EPOCH, 0), more);
  }

  private TonyConfig config() {
    String history = temporary.getRoot().toURI().toString();
    return TonyConfig.builder()
        .layer("test", Map.of(ClientOptions.HISTORY_LOCATION.key(), history))
        .build();
  }

  @Test
  public void shouldTellTheOptionsOfARunByTheBeginningOfItsLog() throws Exception {
    EndedApplication run = EndedApplication.ofBeginning(new Configuration(), config(), write());

    assertEquals(Optional.of("hdfs://c/7"), run.checkpointFolder());
    assertNull("the rest is read by whoever follows it", run.result());
  }

  @Test
  public void shouldTellHowARunEndedByAllOfItsLog() throws Exception {
    EndedApplication run = EndedApplication.of(new Configuration(), config(), write());

    assertEquals(Optional.of("hdfs://c/7"), run.checkpointFolder());
    assertEquals(JobResult.succeeded("done"), run.result());
  }
}
