package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import io.tony.model.ProgramSignal;
import java.time.Duration;
import java.util.List;

/**
 * Options of the checkpoints that TonY copies to the cluster's file system for programs
 * (docs/checkpoints.md).
 */
public final class CheckpointOptions {
  private static final String CHIEF = "chief";

  public static final ConfigOption<List<String>> ROLES =
      ConfigOption.key("tony.checkpoint.roles")
          .list()
          .defaultTo(CHIEF)
          .doc(
              "Whose checkpoints are kept. `chief`: those of the job's chief, and every tracked"
                  + " task goes on from them. Otherwise names of roles: each of their tasks keeps"
                  + " its own and goes on from its own. Empty: none are kept.");

  public static final ConfigOption<Integer> KEEP =
      ConfigOption.key("tony.checkpoint.keep")
          .integer(1)
          .defaultTo("2")
          .doc("How many of the newest whole checkpoints stay. Older ones are deleted.");

  public static final ConfigOption<CheckpointScope> SCOPE =
      ConfigOption.key("tony.checkpoint.scope")
          .oneOf(CheckpointScope.class)
          .defaultTo("execution")
          .doc(
              "Which runs share a folder where `tony.application.checkpoint-dir` is not set."
                  + " `execution`: all Azkaban attempts of a job in one execution of its flow."
                  + " `step`: all executions of that step.");

  public static final ConfigOption<ResumePolicy> RESUME =
      ConfigOption.key("tony.checkpoint.resume")
          .oneOf(ResumePolicy.class)
          .defaultTo("same")
          .doc(
              "Whether a start goes on from the newest checkpoint. `same`: if it was made with the"
                  + " same framework, commands, environment and files; otherwise the job starts"
                  + " clean. `always`: whatever made it. `never`: the job starts clean.");

  public static final ConfigOption<Duration> COPY_TIMEOUT =
      ConfigOption.key("tony.checkpoint.copy-timeout")
          .interval()
          .defaultTo("5m")
          .doc(
              "How long a TonY executor may still copy checkpoints when its program has ended. When"
                  + " the task is stopped, it has `tony.task.stop-grace-ms`.");

  public static final ConfigOption<ProgramSignal> REQUEST_SIGNAL =
      ConfigOption.key("tony.checkpoint.request-signal")
          .oneOf(ProgramSignal.class)
          .alias("tony.checkpoint.ask-signal")
          .defaultTo("none")
          .doc(
              "By which signal programs are asked for a checkpoint: when YARN is going to take"
                  + " containers (preemption.md), or before a job grows (elastic.md). Only"
                  + " processes that handle the signal get it. In any case, the file appears that"
                  + " `TONY_CHECKPOINT_ASKED` names.");

  public static final ConfigOption<Duration> REQUEST_TIMEOUT =
      ConfigOption.key("tony.checkpoint.request-timeout")
          .interval()
          .alias("tony.checkpoint.ask-timeout")
          .defaultTo("60s")
          .doc(
              "For how long an answer counts. Should be longer than YARN waits from the"
                  + " announcement of a preemption to the end of the container"
                  + " (`yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill`, 15"
                  + " s by its default).");

  public static final ConfigOption<List<String>> TRAINING =
      ConfigOption.key("tony.checkpoint.training")
          .list()
          .setBy(SetBy.TONY)
          .doc(
              "What the job trains, as a hash, and as TonY 0.2 would have it, where that is"
                  + " another. The client sets it.");

  private CheckpointOptions() {}

  /**
   * Returns true if the list consists of {@code chief} only. It then means the job's chief task,
   * even if that task's role has another name.
   */
  public static boolean isChiefOnly(List<String> roles) {
    return roles.equals(List.of(CHIEF));
  }
}
