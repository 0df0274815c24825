package io.tony.config.job;

import static org.junit.Assert.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.Test;

public class PropertyCheckTest {
  private static void assertWarned(List<String> names, String... expected) {
    assertEquals(List.of(expected), PropertyCheck.warnings(names));
  }

  @Test
  public void shouldSayNothingOfWhatIsReadAndOfWhatIsMeantForOthers() {
    assertWarned(
        List.of(
            "type",
            "executes",
            "task_env.X",
            "tony.worker.memory",
            "tony.output.auc",
            "tony.client.jar",
            "azkaban.flow.execid",
            "azkaban.flow.uuid",
            "user.to.proxy",
            "retries",
            "working.dir",
            "data.dir",
            "out_dir",
            "pig.memory"));
  }

  @Test
  public void shouldNameMisspeltKeysInOneLine() {
    assertWarned(
        List.of("taskparams", "Executes", "execute"),
        "Executes, execute, taskparams have no effect: did you mean executes, task_params?");
  }

  @Test
  public void shouldNameWhatMeansTheSameAsKeysOfOtherJobTypes() {
    assertWarned(
        List.of("command", "env.TZ", "memory", "num-executors", "executor-memory", "Xmx"),
        "Xmx, command, env.TZ, executor-memory, memory, num-executors have no effect in a step of"
            + " type tony: write it into the java command of executes instead of Xmx, write executes"
            + " instead of command, write task_env.TZ instead of env.TZ, write tony.{role}.memory"
            + " instead of executor-memory, memory, write tony.{role}.instances instead of"
            + " num-executors");
  }

  @Test
  public void shouldNameTheKeyThatWorksForAnOptionOfTheCommandLine() {
    assertWarned(
        List.of("sidecar_tensorboard_log_dir", "container_env"),
        "container_env, sidecar_tensorboard_log_dir have no effect in a step of type tony: write"
            + " task_env.{NAME} for each variable instead of container_env, write"
            + " tony.application.tensorboard-log-dir instead of sidecar_tensorboard_log_dir");
    assertWarned(List.of("sidecar_tensorboard_log_dir", "tony.application.tensorboard-log-dir"));
  }

  /** As in {@code tony.worker.gpus=${gpus}}: Azkaban has put the value there already. */
  @Test
  public void shouldTakeAKeyForAVariableWhereTheOptionIsSet() {
    assertWarned(List.of("gpus", "tony.worker.gpus", "queue", "tony.yarn.queue"));
    assertWarned(
        List.of("gpus", "tony.worker.gpus.x", "command", "executes"),
        "command, gpus have no effect in a step of type tony: write executes instead of command,"
            + " write tony.{role}.gpus instead of gpus");
  }

  @Test
  public void shouldSayWhereHadoopsSettingsAreFrom() {
    assertWarned(
        List.of("hadoop-inject.dfs.replication"),
        "hadoop-inject.dfs.replication has no effect: the client's Hadoop settings are those of"
            + " the cluster's own files, which the administrator names in hadoop.conf.dir");
    assertWarned(
        List.of("hadoop-inject.mapreduce.job.tags", "hadoop-inject.mapreduce.job.queuename"),
        "hadoop-inject.mapreduce.job.queuename, hadoop-inject.mapreduce.job.tags have no effect:"
            + " the client's Hadoop settings are those of the cluster's own files, which the"
            + " administrator names in hadoop.conf.dir; write tony.yarn.queue instead of"
            + " hadoop-inject.mapreduce.job.queuename, write tony.application.tags instead of"
            + " hadoop-inject.mapreduce.job.tags");
  }

  @Test
  public void shouldNameAFewOfMany() {
    List<String> names = IntStream.range(0, 12).mapToObj(i -> "task.env.V" + i).toList();

    String warning = PropertyCheck.warnings(names).get(0);

    assertEquals(warning, 2, warning.split(" and 2 more", -1).length - 1);
  }
}
