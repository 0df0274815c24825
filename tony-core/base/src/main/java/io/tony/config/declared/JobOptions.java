package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import io.tony.config.option.RoleOption;
import io.tony.model.DistributedMode;
import java.time.Duration;
import java.util.List;

/** Options of the whole job: name, queue, supervision of roles, time limits. */
public final class JobOptions {
  public static final ConfigOption<String> NAME =
      ConfigOption.key("tony.application.name")
          .name()
          .whenUnset("the Azkaban job's name; outside Azkaban `tony`")
          .doc("Name of the YARN application.");

  public static final ConfigOption<String> TYPE =
      ConfigOption.key("tony.application.type")
          .name()
          .defaultTo("TONY")
          .setBy(SetBy.PLATFORM)
          .doc("Type of the YARN application, as YARN's pages show and filter it.");

  public static final ConfigOption<List<String>> TAGS =
      ConfigOption.key("tony.application.tags")
          .list()
          .defaultTo("")
          .doc(
              "Tags of the YARN application. Those of the Azkaban execution are added to them; no"
                  + " other begins with `azkaban.` or `workflowid:`.");

  public static final ConfigOption<String> VIEW_ACLS =
      ConfigOption.key("tony.application.view-acls")
          .string()
          .defaultTo("")
          .doc(
              "Who may look at the application and its logs in YARN, beside its owner and YARN's"
                  + " administrators: users joined with `,`, a blank, and groups joined with `,`."
                  + " YARN checks it where `yarn.acl.enable` is true.");

  public static final ConfigOption<String> MODIFY_ACLS =
      ConfigOption.key("tony.application.modify-acls")
          .string()
          .defaultTo("")
          .doc(
              "Who may kill the application in YARN, beside its owner and the administrators of"
                  + " YARN and of the queue; written like `tony.application.view-acls`.");

  public static final ConfigOption<String> QUEUE =
      ConfigOption.key("tony.yarn.queue")
          .name()
          .defaultTo("default")
          .doc("YARN queue that the job is submitted to.");

  public static final ConfigOption<String> FRAMEWORK =
      ConfigOption.key("tony.application.framework")
          .name()
          .defaultTo("tensorflow")
          .doc(
              "Which framework's environment the tasks get (frameworks.md): `tensorflow`,"
                  + " `pytorch`, `jax`, `xgboost`, `lightgbm`, `horovod`, `mxnet`, `mpi` or `ray`;"
                  + " `generic` for programs that need none of these; `standalone` for a single"
                  + " task.");

  public static final ConfigOption<DistributedMode> DISTRIBUTED_MODE =
      ConfigOption.key("tony.application.distributed-mode")
          .oneOf(DistributedMode.class)
          .defaultTo("GANG")
          .doc(
              "`GANG` starts the programs together, once every task is there, and shows each the"
                  + " complete cluster. `FCFS` starts each as soon as its container is ready.");

  public static final ConfigOption<List<String>> UNTRACKED_ROLES =
      ConfigOption.key("tony.application.untracked.roles")
          .list()
          .alias("tony.application.untracked.jobtypes")
          .defaultTo("ps")
          .doc(
              "Roles whose end the job does not wait for, such as parameter servers, which never"
                  + " end by themselves. A failed task of theirs still fails the job.");

  public static final ConfigOption<List<String>> SIDECAR_ROLES =
      ConfigOption.key("tony.application.sidecar.roles")
          .list()
          .alias("tony.application.sidecar.jobtypes")
          .defaultTo("tensorboard")
          .doc("Roles that the job neither waits for nor fails with, such as TensorBoard.");

  public static final ConfigOption<List<String>> STOP_ON_FAILURE_ROLES =
      ConfigOption.key("tony.application.stop-on-failure-roles")
          .list()
          .alias("tony.application.stop-on-failure-jobtypes")
          .defaultTo("ps")
          .doc(
              "Roles of which one failed task fails the job, also where the others go on: after"
                  + " `….ignored`, or with `tony.application.fail-on-worker-failure-enabled=false`."
                  + " Otherwise, a failed task of any role but a sidecar fails the job.");

  public static final ConfigOption<Boolean> FAIL_ON_ANY_TASK =
      ConfigOption.key("tony.application.fail-on-worker-failure-enabled")
          .bool()
          .defaultTo("true")
          .doc(
              "Whether one failed tracked task fails the job, once its retries are spent. `false`"
                  + " is the rule of LinkedIn TonY: the job fails when the chief fails, when a task"
                  + " of a role in `tony.application.stop-on-failure-roles` fails, or when all"
                  + " tasks fail. A lost container, or a program beyond its time limit, fails the"
                  + " job in either case.");

  public static final ConfigOption<SuccessPolicy> SUCCESS_POLICY =
      ConfigOption.key("tony.application.success-policy")
          .oneOf(SuccessPolicy.class)
          .defaultTo("ALL")
          .doc(
              "`ALL`: the job has succeeded when every tracked task has. `CHIEF`: when its chief"
                  + " has (`chief:0`, `master:0` or `worker:0`), and the others are stopped.");

  public static final ConfigOption<Duration> TIMEOUT =
      ConfigOption.key("tony.application.timeout")
          .duration()
          .defaultTo("0")
          .doc("How long the job may take, from the ApplicationMaster's start to the job's end.");

  public static final ConfigOption<Duration> ALLOCATION_TIMEOUT =
      ConfigOption.key("tony.container.allocation.timeout")
          .duration()
          .defaultTo("-1")
          .doc("How long it may take until all tasks have containers; -1: no limit.");

  public static final ConfigOption<Duration> PARTIAL_ALLOCATION_TIMEOUT =
      ConfigOption.key("tony.gang.partial-allocation-timeout")
          .duration()
          .alias("tony.application.gang-hold-timeout")
          .defaultTo("2m")
          .doc(
              "How long a gang that lacks containers keeps those that it has. Then it gives them"
                  + " back, waits, and asks again, so that two gangs do not wait for each other for"
                  + " ever. -1: it keeps them.");

  public static final ConfigOption<Duration> ALLOCATION_BACKOFF =
      ConfigOption.key("tony.gang.allocation-backoff")
          .interval()
          .alias("tony.application.gang-back-off")
          .defaultTo("10s")
          .doc(
              "How long a gang that gave its containers back waits before it asks again. The time"
                  + " doubles each time, up to 32 times as long, and is varied at random from job"
                  + " to job.");

  public static final ConfigOption<Duration> REGISTRATION_TIMEOUT =
      ConfigOption.key("tony.container.registration.timeout")
          .duration()
          .defaultTo("15m")
          .doc(
              "How long each task may take to register, once it has its container or is started"
                  + " again in it; -1: no limit.");

  public static final ConfigOption<Duration> CLIENT_LOST_TIMEOUT =
      ConfigOption.key("tony.application.client-lost-timeout")
          .duration()
          .defaultTo("0")
          .whenUnset("0; in Azkaban `30m`")
          .doc(
              "Stops the job when no client has asked for it for this long. Without a limit, a job"
                  + " whose client is gone trains to its end.");

  public static final ConfigOption<String> CHECKPOINT_DIR =
      ConfigOption.key("tony.application.checkpoint-dir")
          .string()
          .whenUnset("one below `.tony/checkpoints` in the user's home on the default file system")
          .doc(
              "Folder for checkpoints, which programs find in `TONY_CHECKPOINT_DIR`. It stays the"
                  + " same through every restart of the gang and every retry of the Azkaban job."
                  + " The default is named after the project, flow, execution and job; with"
                  + " `tony.checkpoint.scope=step`, without the execution; outside Azkaban, after"
                  + " the application. In its subfolder `.tony`, TonY keeps checkpoints and deletes"
                  + " old ones. It deletes nothing else.");

  public static final ConfigOption<Duration> NOTEBOOK_IDLE_TIMEOUT =
      ConfigOption.key("tony.application.notebook-idle-timeout")
          .duration("ms", "for no limit")
          .defaultTo("2h")
          .doc(
              "How long a notebook of `tony notebook` may be unused before it ends (notebook.md)."
                  + " It is unused while no kernel runs anything, no terminal prints anything, and"
                  + " no file in its folder changes.");

  public static final ConfigOption<Boolean> CLUSTER_SPEC_FILE =
      ConfigOption.key("tony.application.cluster-spec-file")
          .bool()
          .defaultTo("false")
          .doc(
              "Writes the JSON of `CLUSTER_SPEC` to a file, also above 2,000 tasks, where the"
                  + " variable is left out. Programs find its path in `TONY_CLUSTER_SPEC_FILE`."
                  + " Without effect with `FCFS`. Each task is sent 6 bytes for every task of the"
                  + " gang: a gang of 10,000 starts about 9 s later.");

  public static final ConfigOption<TrackingUrl> TRACKING_URL =
      ConfigOption.key("tony.application.tracking-url")
          .oneOf(TrackingUrl.class)
          .defaultTo("dashboard")
          .doc(
              "Where YARN's link to the running job leads: `dashboard` is the job's own page"
                  + " (viewer.md), `tensorboard` its TensorBoard, while that listens. When the job"
                  + " has ended, the link leads to the history, if `tony.history.url` is set.");

  public static final ConfigOption<String> TENSORBOARD_LOG_DIR =
      ConfigOption.key("tony.application.tensorboard-log-dir")
          .string()
          .doc(
              "Starts TensorBoard on this folder, which all nodes must see. It is one more task"
                  + " beside the job: the role `tensorboard`, a sidecar of one instance, whose"
                  + " `tony.tensorboard.*` can be set like any role's. Every program finds the"
                  + " folder in `TB_LOG_DIR`. TensorBoard must be in the tasks' Python"
                  + " environment.");

  public static final ConfigOption<Boolean> ENABLE_PREPROCESS =
      ConfigOption.key("tony.application.enable-preprocess")
          .bool()
          .defaultTo("false")
          .doc(
              "Runs `executes` once before the tasks, with `PREPROCESSING_JOB=true` in its"
                  + " environment, in a container of the size of `tony.am.memory`, `tony.am.vcores`"
                  + " and `tony.am.gpus`. What it prints after `Model parameters: ` reaches the"
                  + " tasks as `MODEL_PARAMS`.");

  public static final ConfigOption<List<String>> PREPARE_STAGE =
      ConfigOption.key("tony.application.prepare-stage")
          .list()
          .defaultTo("")
          .whenUnset("all roles that are not in the training stage, if there is one")
          .doc("Roles that must have ended before those of the training stage are asked for.");

  public static final ConfigOption<List<String>> TRAINING_STAGE =
      ConfigOption.key("tony.application.training-stage")
          .list()
          .defaultTo("")
          .whenUnset("all roles that are not in the prepare stage, if there is one")
          .doc("Roles that start when those of the prepare stage have ended.");

  public static final RoleOption<List<String>> GROUP =
      RoleOption.of(
          ConfigOption.key("tony.application.group.{group}")
              .list()
              .doc("Names a set of roles, for the dependencies between groups."));

  public static final RoleOption<Duration> GROUP_TIMEOUT =
      RoleOption.of(
          ConfigOption.key("tony.application.dependency.{role}.timeout.after.{group}")
              .duration("s", "for no limit")
              .doc(
                  "How long the role may go on after every task of the group has ended; then the"
                      + " job fails."));

  public static final RoleOption<Boolean> GROUP_TIMEOUT_IGNORED =
      RoleOption.of(
          ConfigOption.key("tony.application.dependency.{role}.timeout.after.{group}.ignored")
              .bool()
              .defaultTo("false")
              .doc(
                  "Whether the job then goes on to its end without the role. Roles that wait for it"
                      + " (depends-on) start then. Not possible for the only role"
                      + " that the job waits for, nor for the chief's where the chief decides."));

  private JobOptions() {}
}
