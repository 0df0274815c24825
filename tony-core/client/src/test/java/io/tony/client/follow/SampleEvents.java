package io.tony.client.follow;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Events for tests, told in a line; what a test does not care for is filled in. */
public final class SampleEvents {
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static final TaskId ANY = new TaskId("worker", 0);
  private static final GangFact.Shortage NOTHING = new GangFact.Shortage("", "", "");

  /** What tests leave out of facts. */
  private static final Map<JobEvent.Type, Map<String, String>> REQUIRED =
      Stream.of(
              new JobFact.MasterStarted(1, "", 1, null),
              new GangFact.Requested(1, "", List.of()),
              new GangFact.Waiting(NOTHING),
              new GangFact.BackedOff(NOTHING, ""),
              new TaskFact.Allocated(ANY, "", "", ""),
              new TaskFact.Registered(ANY, new Endpoint("node", 1), 0),
              new TaskFact.Failed(ANY, FailureKind.PROGRAM, "", null, "", "", "", ""),
              new TaskFact.Restarted(
                  ANY,
                  FailureKind.PROGRAM,
                  "",
                  0,
                  1,
                  false,
                  true,
                  RetryBudgetOwner.ROLE,
                  false,
                  "",
                  null),
              new GangFact.Restarted(
                  ANY,
                  FailureKind.PROGRAM,
                  "",
                  0,
                  1,
                  RetryBudgetOwner.JOB,
                  0,
                  false,
                  "",
                  List.of()),
              new JobFact.Finished(JobResult.succeeded("")))
          .collect(Collectors.toMap(Fact::type, fact -> fact.toEvent(START, 0).details()));

  private SampleEvents() {}

  /** A fact about a task, or about the job when {@code task} is empty. */
  public static JobEvent event(int second, JobEvent.Type type, String task, String... details) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < details.length; i += 2) {
      map.put(details[i], details[i + 1]);
    }
    REQUIRED.getOrDefault(type, Map.of()).forEach(map::putIfAbsent);
    TaskId id = task.isEmpty() ? null : TaskId.parse(task);
    return new JobEvent(START.plusSeconds(second), type, 0, id, map);
  }
}
