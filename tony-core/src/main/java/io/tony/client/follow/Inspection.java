package io.tony.client.follow;

import io.tony.client.source.InvalidJobException;
import io.tony.fact.JobFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import io.tony.model.TaskUse;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at, or ends, an application by its id: {@code tony status} and {@code tony kill}. */
public final class Inspection {
  private static final Logger LOG = LoggerFactory.getLogger(Inspection.class);

  private final Inspected inspected;
  private final RunningApplication application;
  private final JobLog out;

  public Inspection(Inspected inspected, JobLog out) {
    this.inspected = inspected;
    this.application = inspected.application();
    this.out = out;
  }

  /** An application's id, as it is written. */
  public static ApplicationId id(String text) throws InvalidJobException {
    try {
      return ApplicationId.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidJobException(
          List.of(
              "'"
                  + text
                  + "' is not an application id: it looks like application_1700000000000_0001"));
    }
  }

  /** Waits for its end, and tells how it has ended. */
  public ExitCode awaitEnd() throws IOException, YarnException, InterruptedException {
    application.awaitEnd();
    JobResult result = YarnResult.of(application.report(), application.scheduler());
    out.println(result.status() + ": " + result.message());
    return ExitCode.of(result);
  }

  public ExitCode status() throws IOException, YarnException {
    ApplicationReport report = application.report();
    out.println(
        application.id()
            + " ("
            + report.getName()
            + ", queue "
            + report.getQueue()
            + ") is "
            + report.getYarnApplicationState()
            + ", final status "
            + report.getFinalApplicationStatus()
            + ": "
            + report.getTrackingUrl());
    try {
      tell(inspected.events(report.getUser()), RunningApplication.ended(report));
    } catch (AccessControlException e) {
      out.println("  its tasks are not shown: " + Refusal.of(e).orElse(e.getMessage()));
    }
    return ExitCode.SUCCEEDED;
  }

  /** The same as one JSON object, also of an application that YARN has forgotten. */
  public ExitCode statusObject() throws IOException, YarnException, InvalidJobException {
    ApplicationReport report = inspected.anyReport();
    String owner = Inspected.owner(report);
    List<JobEvent> events = List.of();
    try {
      events = inspected.events(owner);
    } catch (AccessControlException e) {
      if (report == null) {
        throw e;
      }
      LOG.info("Only what YARN knows is shown: {}", e.getMessage());
    }
    if (events.isEmpty() && report == null) {
      throw inspected.unknown(owner);
    }
    out.json(new StatusObject(application.id().toString(), owner, events).json(report));
    return ExitCode.SUCCEEDED;
  }

  /** Where each task stands, and TensorBoard while there is one. */
  private void tell(List<JobEvent> events, boolean ended) {
    JobEvent tensorBoard = null;
    Map<String, String> uses = Map.of();
    for (JobEvent event : events) {
      if (event.type() == JobEvent.Type.METRICS) {
        uses = JobFact.Used.of(event).uses();
      } else if (event.type() == JobEvent.Type.TENSORBOARD) {
        tensorBoard = event;
      } else if (tensorBoard != null && ends(tensorBoard.task(), event)) {
        tensorBoard = null;
      }
    }
    if (tensorBoard != null && !ended) {
      out.println("  TensorBoard: " + TaskFact.TensorBoard.of(tensorBoard).url());
    }
    Instant now = Instant.now();
    for (JobEvent event : lastOfEach(events).values()) {
      out.println(
          "  "
              + event.task()
              + " "
              + event.type().name().replace("TASK_", "")
              + " "
              + Ago.text(event.time(), now, ZoneId.systemDefault())
              + why(event)
              + use(event, uses.get(event.task().toString())));
    }
  }

  /** The last event of each task that there is. */
  static Map<TaskId, JobEvent> lastOfEach(List<JobEvent> events) {
    Map<TaskId, JobEvent> last = new TreeMap<>();
    for (JobEvent event : events) {
      // Some facts about the whole job name the task that is to blame for them.
      if (event.task() != null && event.type().name().startsWith("TASK_")) {
        last.put(event.task(), event);
      } else if (event.type() == JobEvent.Type.GANG_RESIZED) {
        resize(last, SizeFact.Resized.of(event), event.time());
      }
    }
    return last;
  }

  /** A task that is moved has its container, and no program that runs. */
  private static void resize(Map<TaskId, JobEvent> last, SizeFact.Resized fact, Instant at) {
    fact.moveIn(last);
    fact.moved()
        .values()
        .forEach(
            index ->
                last.computeIfPresent(
                    new TaskId(fact.role(), index),
                    (task, was) ->
                        new JobEvent(
                            at, JobEvent.Type.TASK_ALLOCATED, was.session(), task, Map.of())));
    last.keySet().removeIf(fact::isGone);
  }

  /** What a failure, or a start after one, says of it. */
  private static String why(JobEvent event) {
    if (event.type() == JobEvent.Type.TASK_FAILED) {
      return ": " + TaskFact.Failed.of(event).message();
    }
    return event.type() == JobEvent.Type.TASK_RESTARTED
        ? ": " + TaskFact.Restarted.of(event).message()
        : "";
  }

  /** True when the task's program has not outlived the event. */
  private static boolean ends(TaskId task, JobEvent event) {
    return event.type() == JobEvent.Type.GANG_RESTARTED
        || (task.equals(event.task())
            && EnumSet.of(
                    JobEvent.Type.TASK_FAILED,
                    JobEvent.Type.TASK_SUCCEEDED,
                    JobEvent.Type.TASK_STOPPED,
                    JobEvent.Type.TASK_RESTARTED)
                .contains(event.type()));
  }

  /** Of a task whose program runs; {@code last} is null where it was not told. */
  private static String use(JobEvent event, String last) {
    boolean runs =
        event.type() == JobEvent.Type.TASK_STARTED || event.type() == JobEvent.Type.TASK_PROGRESS;
    if (!runs || last == null) {
      return "";
    }
    TaskUse use = TaskUse.parse(last);
    return String.format(Locale.ROOT, ", uses %d MiB and %.2f cores", use.memoryMiB(), use.cores())
        + (use.gpus() == null
            ? ""
            : ", its GPUs at "
                + use.gpus().percent()
                + " % with "
                + use.gpus().memoryMiB()
                + " MiB");
  }

  public ExitCode kill() throws IOException, YarnException, InterruptedException {
    if (RunningApplication.ended(application.report())) {
      out.println(application.id() + " has ended already");
    } else {
      application.kill("tony kill", out);
      out.println(application.id() + " is " + application.report().getYarnApplicationState());
    }
    return ExitCode.SUCCEEDED;
  }
}
