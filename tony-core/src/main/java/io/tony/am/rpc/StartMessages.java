package io.tony.am.rpc;

import io.tony.am.machine.Action.StartTask;
import io.tony.model.JobSpec;
import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.TaskEnvironment;
import java.util.Map;

/** What an executor is told when its task is to start: the command line and the environment. */
public final class StartMessages {
  private final JobSpec job;
  private final FrameworkRuntime runtime;
  private final String application;
  private final String checkpoints;
  private final int firstAttempt;

  /**
   * Takes what is the same for all tasks.
   *
   * @param checkpoints the folder that every attempt of the job shares
   * @param firstAttempt number of the gang's first attempt: those of earlier applications of the
   *     same job come before it
   */
  public StartMessages(
      JobSpec job,
      FrameworkRuntime runtime,
      String application,
      String checkpoints,
      int firstAttempt) {
    this.job = job;
    this.runtime = runtime;
    this.application = application;
    this.checkpoints = checkpoints;
    this.firstAttempt = firstAttempt;
  }

  Start of(StartTask task) {
    TaskKey key = task.key();
    Map<String, String> environment =
        TaskEnvironment.of(job, runtime, task.cluster(), key.task(), application, task.session());
    Start.Builder start =
        Start.newBuilder()
            .setCommand(job.role(key.task().role()).command())
            .setExecutionTimeoutMs(job.limits().execution().toMillis());
    environment.forEach((name, value) -> start.addEnvironment(entry(name, value)));
    start.addEnvironment(entry("TONY_CHECKPOINT_DIR", checkpoints));
    start.addEnvironment(entry("TONY_ATTEMPT", Integer.toString(firstAttempt + key.attempt())));
    if (task.tensorBoardPort() > 0) {
      start.addEnvironment(entry("TB_PORT", Integer.toString(task.tensorBoardPort())));
    }
    if (!task.modelParams().isEmpty()) {
      start.addEnvironment(entry("MODEL_PARAMS", task.modelParams()));
    }
    return start.build();
  }

  private static Entry entry(String name, String value) {
    return Entry.newBuilder().setKey(name).setValue(value).build();
  }
}
