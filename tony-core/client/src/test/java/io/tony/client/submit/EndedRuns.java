package io.tony.client.submit;

import io.tony.client.follow.ReportedYarn;
import io.tony.event.Fact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/** Applications that have ended, in a ResourceManager, and their event logs, in a folder. */
final class EndedRuns {
  private static final TaskId WORKER = new TaskId("worker", 0);

  private final ReportedYarn yarn;
  private final Path history;

  EndedRuns(ReportedYarn yarn, Path history) {
    this.yarn = yarn;
    this.history = history;
  }

  static ApplicationId id(int number) {
    return ApplicationId.newInstance(1, number);
  }

  /** One that took a minute and has just ended. */
  ApplicationReport show(int number, FinalApplicationStatus status, String... tags) {
    boolean killed = status == FinalApplicationStatus.KILLED;
    ApplicationReport report =
        yarn.showAlso(
            id(number), killed ? YarnApplicationState.KILLED : YarnApplicationState.FINISHED, tags);
    report.setFinalApplicationStatus(status);
    long now = System.currentTimeMillis();
    report.setStartTime(now - 60_000);
    report.setFinishTime(now);
    return report;
  }

  /** Writes the log of one whose program has failed, with this last word. */
  void logFailure(int number, Map<String, String> options, String stderr, boolean futile)
      throws IOException {
    JobDescription description =
        new JobDescription("ada", "ml", "train", "", JobDescription.AzkabanStep.NONE, options, "");
    TaskFact.Failed failed =
        new TaskFact.Failed(
            WORKER, FailureKind.PROGRAM, "exited with code 7", 7, stderr, "", "node", "log");
    JobResult result =
        new JobResult(JobResult.Status.FAILED, FailureKind.PROGRAM, "it failed", WORKER, 7, futile);
    List<Fact> facts =
        List.of(
            new JobFact.Described(description),
            new TaskFact.Started(WORKER, 1),
            failed,
            new JobFact.Finished(result));
    Path folder = Files.createDirectories(history.resolve(id(number).toString()));
    Files.write(
        folder.resolve("events.jsonl"),
        facts.stream()
            .map(fact -> EventJson.write(fact.toEvent(Instant.now(), 0), false))
            .toList());
  }
}
