package io.tony.azkaban.mini;

import azkaban.execapp.FlowRunner;
import azkaban.execapp.JobRunner;
import azkaban.executor.ExecutableFlow;
import azkaban.executor.ExecutableNode;
import azkaban.executor.ExecutionAttempt;
import azkaban.executor.Status;
import azkaban.utils.Props;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates a {@link FlowResult} from Azkaban's objects after the flow's end. */
final class FlowResults {

  private static final Comparator<StepResult> BY_START =
      Comparator.comparing((StepResult job) -> job.attempts().isEmpty())
          .thenComparing(
              job -> job.attempts().isEmpty() ? Instant.MAX : job.attempts().get(0).start())
          .thenComparing(StepResult::name);

  private FlowResults() {}

  static FlowResult of(FlowRunner runner, List<ExecutableNode> nodes) {
    ExecutableFlow flow = runner.getExecutableFlow();
    Path folder = Path.of(flow.getExecutionPath());
    return new FlowResult(
        flow.getFlowId(),
        flow.getExecutionId(),
        flow.getStatus(),
        Instant.ofEpochMilli(flow.getStartTime()),
        Instant.ofEpochMilli(flow.getEndTime()),
        nodes.stream().map(node -> job(node, folder)).sorted(BY_START).toList(),
        folder,
        runner.getFlowLogFile().toPath());
  }

  private static StepResult job(ExecutableNode node, Path folder) {
    List<JobAttempt> attempts = new ArrayList<>();
    // This list is null if the job was never retried.
    for (ExecutionAttempt past :
        Objects.requireNonNullElse(node.getPastAttemptList(), List.<ExecutionAttempt>of())) {
      attempts.add(
          attempt(
              node,
              folder,
              past.getAttempt(),
              past.getStatus(),
              past.getStartTime(),
              past.getEndTime()));
    }
    if (hasRun(node.getStatus())) {
      attempts.add(
          attempt(
              node,
              folder,
              node.getAttempt(),
              node.getStatus(),
              node.getStartTime(),
              node.getEndTime()));
    }
    return new StepResult(
        node.getNestedId(),
        node.getType(),
        node.getStatus(),
        attempts,
        flat(node.getOutputProps()));
  }

  private static JobAttempt attempt(
      ExecutableNode node, Path folder, int number, Status status, long start, long end) {
    Path log =
        folder
            .resolve(node.getJobSource())
            .resolveSibling(JobRunner.createLogFileName(node, number));
    return new JobAttempt(
        number, status, Instant.ofEpochMilli(start), Instant.ofEpochMilli(end), log);
  }

  /** Returns true if a job with this status was started in its current attempt. */
  private static boolean hasRun(Status status) {
    return switch (status) {
      case SUCCEEDED, FAILED, FAILED_SUCCEEDED, FAILED_FINISHING, KILLED, RUNNING, PAUSED -> true;
      case READY, PREPARING, QUEUED, SKIPPED, DISABLED, CANCELLED -> false;
    };
  }

  private static Map<String, String> flat(@Nullable Props properties) {
    Map<String, String> values = new HashMap<>();
    if (properties != null) {
      properties.getKeySet().forEach(key -> values.put(key, properties.get(key)));
    }
    return values;
  }
}
