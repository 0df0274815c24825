package io.tony.am.rpc;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.machine.Action.StartTask;
import io.tony.checkpoint.CheckpointName;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Gang;
import io.tony.runtime.TensorFlowRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.junit.Test;

/** That what all tasks are told is made once, and only what differs is made for each. */
public class StartMessagesTest {
  private static final int TASKS = 2_000;
  private static final JobSpec JOB = job().workers(TASKS).spec();

  /** TensorFlow's, and which gangs it was called with. */
  private static final class Watched implements FrameworkRuntime {
    private final FrameworkRuntime runtime = new TensorFlowRuntime();
    private final List<Gang> gangs = new ArrayList<>();

    @Override
    public String name() {
      return runtime.name();
    }

    @Override
    public Map<String, String> environment(Gang gang, TaskId task) {
      gangs.add(gang);
      return runtime.environment(gang, task);
    }
  }

  private final Watched runtime = new Watched();
  private final List<Gang> equipped = new ArrayList<>();
  private final StartMessages messages = messages(JOB, true);
  private Optional<Checkpoints> checkpoints = Optional.empty();

  private StartMessages messages(JobSpec job, boolean clusterSpecFile) {
    return new StartMessages(
        job,
        runtime,
        this::equip,
        "application_1_0001",
        "hdfs://c/checkpoints",
        clusterSpecFile,
        0,
        new StartCheckpoints() {
          @Override
          public Optional<Checkpoints> prepareStart(StartTask start) {
            return checkpoints;
          }

          @Override
          public int ownerCount() {
            return 1;
          }

          @Override
          public Optional<String> recordSaved(TaskId task, CheckpointName set, String name) {
            return Optional.empty();
          }

          @Override
          public OptionalInt attempt(TaskId task) {
            return OptionalInt.empty();
          }
        });
  }

  private Gang equip(Gang gang) {
    equipped.add(gang);
    return gang;
  }

  private static ClusterSpec cluster(int firstPort) {
    return new ClusterSpec(
        Map.of(
            "worker",
            IntStream.range(0, TASKS)
                .mapToObj(index -> new Endpoint("node", firstPort + index))
                .toList()));
  }

  private Start start(int index, int session, ClusterSpec cluster) {
    TaskKey key = new TaskKey(new TaskId("worker", index), session, "container_" + index);
    return messages.of(new StartTask(key, session, cluster, 0, ""));
  }

  private Map<String, String> environment(int index, int session, ClusterSpec cluster) {
    Map<String, String> environment = new HashMap<>();
    for (Entry entry : start(index, session, cluster).getEnvironmentList()) {
      environment.put(entry.getKey(), entry.getValue());
    }
    return environment;
  }

  private static String unzipped(ByteString bytes) throws IOException {
    try (InputStream in = new GZIPInputStream(bytes.newInput())) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  public void shouldWriteOneTextOfTheClusterForAllTasks() {
    ClusterSpec cluster = cluster(10_000);
    Map<String, String> first = environment(0, 0, cluster);
    assertTrue(first.get("CLUSTER_SPEC").startsWith("{\"worker\":[\"node:10000\",\"node:10001\","));
    for (int index = 1; index < TASKS; index++) {
      Map<String, String> environment = environment(index, 0, cluster);

      assertSame("one text", first.get("CLUSTER_SPEC"), environment.get("CLUSTER_SPEC"));
      assertTrue(
          environment
              .get("TF_CONFIG")
              .endsWith("\"task\":{\"type\":\"worker\",\"index\":" + index + "}}"));
    }

    assertEquals("the store is asked for once", 1, equipped.size());
    runtime.gangs.forEach(gang -> assertSame(equipped.get(0), gang));
  }

  @Test
  public void shouldSendTheSameClusterAsAFile() throws Exception {
    ClusterSpec cluster = cluster(10_000);

    ByteString file = start(0, 0, cluster).getClusterSpec();

    assertEquals(environment(0, 0, cluster).get("CLUSTER_SPEC"), unzipped(file));
    assertSame("made once", file, start(1, 0, cluster).getClusterSpec());
  }

  @Test
  public void shouldSendNoFileToAJobThatWantsNoneOrHasNoGang() {
    TaskKey key = new TaskKey(new TaskId("worker", 1), 0, "container_1");
    StartTask start = new StartTask(key, 0, cluster(10_000), 0, "");
    JobSpec served = job().workers(2).firstComeFirstServed().spec();

    assertFalse(messages(JOB, false).of(start).hasClusterSpec());
    assertFalse(messages(served, true).of(start).hasClusterSpec());
  }

  @Test
  public void shouldTellOfTheClusterThatTheTaskStartsIn() {
    ClusterSpec before = cluster(10_000);
    ClusterSpec after = cluster(20_000);

    String first = environment(0, 0, before).get("CLUSTER_SPEC");
    Map<String, String> later = environment(0, 0, after);
    Map<String, String> restarted = environment(0, 1, after);

    assertNotSame(first, later.get("CLUSTER_SPEC"));
    assertTrue(later.get("CLUSTER_SPEC").contains("node:20000"));
    assertEquals("0", later.get("SESSION_ID"));
    assertEquals("1", restarted.get("SESSION_ID"));
    assertEquals(3, equipped.size());
  }

  /** Where an elastic gang has fewer tasks now, or has more again. */
  @Test
  public void shouldTellHowManyTasksThereAreNow() {
    StartMessages elastic = messages(job().workers(TASKS).least(1).spec(), false);
    ClusterSpec small = new ClusterSpec(Map.of("worker", List.of(new Endpoint("node", 7000))));
    TaskKey key = new TaskKey(new TaskId("worker", 0), 1, "container_1");

    Start start = elastic.of(new StartTask(key, 1, small, 0, ""));
    Start later = elastic.of(new StartTask(key, 2, cluster(7000), 0, ""));

    assertEquals("1", variable(start, "TASK_NUM"));
    assertEquals(Integer.toString(TASKS), variable(later, "TASK_NUM"));
    assertEquals(1, equipped.get(0).job().taskCount());
  }

  private static String variable(Start start, String name) {
    return start.getEnvironmentList().stream()
        .filter(entry -> entry.getKey().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  @Test
  public void shouldTellOfTheCheckpointsThatTheTaskKeeps() {
    assertFalse(start(0, 0, cluster(10_000)).hasCheckpoints());
    checkpoints =
        Optional.of(
            Checkpoints.newBuilder().setFolder("hdfs://c/.tony").setCopyTimeoutMs(1).build());

    assertEquals(checkpoints.get(), start(0, 0, cluster(10_000)).getCheckpoints());
  }
}
