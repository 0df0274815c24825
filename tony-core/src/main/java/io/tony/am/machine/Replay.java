package io.tony.am.machine;

import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.TaskState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state that a job's event log tells of. Every fact that a decision appends stands for the same
 * change of the state as that decision made: what follows from what is written in one place only,
 * in the functions that both use.
 */
public final class Replay {
  private Replay() {}

  /** The state after these events, which are in the order of the log. */
  public static JobState of(JobSpec job, long seed, List<JobEvent> events) {
    JobState state = JobState.initial(job, seed);
    for (JobEvent event : events) {
      state = after(state, event);
    }
    return state;
  }

  static JobState after(JobState state, JobEvent event) {
    return switch (event.type()) {
      case AM_STARTED -> state.startedAt() == null ? state.startedAt(event.time()) : state;
      case GANG_REQUESTED -> Starting.requested(state, List.of(event.detail("roles").split(",")));
      case GANG_BACKED_OFF -> BackingOff.backedOff(state);
      case TASK_ALLOCATED ->
          state
              .with(
                  task(state, event)
                      .allocated(
                          event.detail("container"), event.detail("node"), event.detail("log")))
              .settled();
      case TASK_REGISTERED -> registered(state, event);
      case GANG_RUNNING -> Starting.running(state);
      case TASK_FAILED -> state.with(task(state, event).in(TaskState.FAILED)).settled();
      case TASK_STOPPED -> state.with(task(state, event).in(TaskState.STOPPED));
      case TASK_SUCCEEDED ->
          state.withSuccess(task(state, event).in(TaskState.SUCCEEDED), outputs(event)).settled();
      case TASK_RESTARTED -> taskRestarted(state, event);
      case GANG_RESTARTED ->
          Restarting.restartedGang(
              charged(state, event),
              event.task(),
              Boolean.parseBoolean(event.detail("keptFailed")));
      case NODE_AVOIDED -> state.with(state.around().avoiding(event.detail("node")));
      case NODES_FORGIVEN -> state.with(state.around().forgiving());
      case ROLE_EXCUSED -> state.with(state.gang().excusing(event.detail("role")));
      case TASK_PROGRESS -> state.progressAt(event.time());
      case JOB_STOPPING -> state.stopping(JobResult.told(event));
      case JOB_FINISHED -> state.finished(JobResult.told(event));
      case TENSORBOARD -> state.with(task(state, event).showing(event.detail("url")));
      case JOB_SUBMITTED, GANG_WAITING, TASK_STARTED, METRICS, STOP_REQUESTED, ADVICE, UNKNOWN ->
          state;
    };
  }

  private static Task task(JobState state, JobEvent event) {
    return state.tasks().get(event.task());
  }

  private static JobState registered(JobState state, JobEvent event) {
    Task task =
        task(state, event)
            .registered(
                Endpoint.parse(event.detail("endpoint")),
                Integer.parseInt(event.detail("tensorBoardPort")));
    return state.with(Starting.waitsForNobody(state, task) ? task.in(TaskState.RUNNING) : task);
  }

  private static JobState taskRestarted(JobState state, JobEvent event) {
    Task task = task(state, event);
    int attempt = Integer.parseInt(event.detail("attempt"));
    Task again =
        event.detail("where").equals("kept")
            ? task.kept(attempt)
            : task.again(attempt, TaskState.REQUESTED);
    boolean alone = Boolean.parseBoolean(event.detail("alone"));
    return event.detail("charged").equals("role")
        ? Restarting.restartedOne(state, again.aloneForItsRole())
        : Restarting.restartedOne(charged(state, event), again.alone(alone));
  }

  private static JobState charged(JobState state, JobEvent event) {
    FailureKind kind = FailureKind.valueOf(event.detail("kind"));
    return state.with(state.budget().withLeft(kind, Integer.parseInt(event.detail("left"))));
  }

  private static Map<String, String> outputs(JobEvent event) {
    String prefix = "output.";
    Map<String, String> outputs = new HashMap<>();
    event
        .details()
        .forEach(
            (name, value) -> {
              if (name.startsWith(prefix)) {
                outputs.put(name.substring(prefix.length()), value);
              }
            });
    return outputs;
  }
}
