package io.tony.am.rpc;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.machine.Action.StartTask;
import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Gang;
import io.tony.runtime.TaskEnvironment;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Creates the message that starts a task's program: the command line, the environment and the
 * checkpoint instructions.
 */
public final class StartMessages {
  private final JobSpec job;
  private final FrameworkRuntime runtime;
  private final UnaryOperator<Gang> stores;
  private final String application;
  private final String checkpointFolder;
  private final boolean clusterSpecFile;
  private final int firstAttempt;
  private final StartCheckpoints startCheckpoints;

  /** Gang of the last message, shared by all tasks that start together; null before the first. */
  private @Nullable Gang gang;

  /**
   * Creates the object from what is common to all tasks.
   *
   * @param stores returns the gang with the address of its rendezvous store, which it starts if
   *     necessary; returns the gang unchanged if the framework needs no store
   * @param checkpointFolder folder for the program's own checkpoints, the same for all attempts of
   *     the job
   * @param clusterSpecFile whether each task also gets the addresses of its gang in a file
   * @param firstAttempt value of TONY_ATTEMPT at a task's first start in this application; earlier
   *     applications of the same job used the lower values
   * @param startCheckpoints provides the checkpoint instructions
   */
  public StartMessages(
      JobSpec job,
      FrameworkRuntime runtime,
      UnaryOperator<Gang> stores,
      String application,
      String checkpointFolder,
      boolean clusterSpecFile,
      int firstAttempt,
      StartCheckpoints startCheckpoints) {
    this.job = job;
    this.runtime = runtime;
    this.stores = stores;
    this.application = application;
    this.checkpointFolder = checkpointFolder;
    this.clusterSpecFile = clusterSpecFile;
    this.firstAttempt = firstAttempt;
    this.startCheckpoints = startCheckpoints;
  }

  /** Returns the provider of the checkpoint instructions. */
  StartCheckpoints checkpoints() {
    return startCheckpoints;
  }

  Start of(StartTask task) {
    TaskKey key = task.key();
    Gang gang = gang(task);
    Map<String, String> environment = TaskEnvironment.of(runtime, gang, key.task(), application);
    Start.Builder start =
        Start.newBuilder()
            .setCommand(job.role(key.task().role()).command())
            .setExecutionTimeoutMs(job.limits().execution().toMillis());
    environment.forEach((name, value) -> start.addEnvironment(entry(name, value)));
    start.addEnvironment(entry("TONY_CHECKPOINT_DIR", checkpointFolder));
    start.addEnvironment(entry("TONY_ATTEMPT", Integer.toString(firstAttempt + key.attempt())));
    if (task.tensorBoardPort() > 0) {
      start.addEnvironment(entry("TB_PORT", Integer.toString(task.tensorBoardPort())));
    }
    if (!task.modelParams().isEmpty()) {
      start.addEnvironment(entry("MODEL_PARAMS", task.modelParams()));
    }
    if (clusterSpecFile && job.mode() == DistributedMode.GANG) {
      start.setClusterSpec(
          gang.once("CLUSTER_SPEC.gz", () -> gzip(TaskEnvironment.clusterSpec(gang))));
    }
    startCheckpoints.prepareStart(task).ifPresent(start::setCheckpoints);
    return start.build();
  }

  /**
   * Returns the task's gang. Tasks of a session with equal clusters share one object. The
   * comparison is fast, because the clusters are usually the same object.
   */
  private synchronized Gang gang(StartTask task) {
    if (gang == null
        || gang.session() != task.session()
        || !Objects.equals(gang.cluster(), task.cluster())) {
      gang = stores.apply(new Gang(resizedJob(task.cluster()), task.cluster(), task.session()));
    }
    return gang;
  }

  /** Returns the job with the elastic roles' numbers of tasks set to those in this cluster. */
  private JobSpec resizedJob(ClusterSpec cluster) {
    JobSpec resized = job;
    for (RoleSpec role : job.roles()) {
      List<Endpoint> members = cluster.endpoints().get(role.name());
      if (role.isElastic() && members != null) {
        resized = resized.with(role.withInstances(members.size()));
      }
    }
    return resized;
  }

  private static ByteString gzip(String text) {
    ByteString.Output bytes = ByteString.newOutput();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("memory refused to be written to", e);
    }
    return bytes.toByteString();
  }

  private static Entry entry(String name, String value) {
    return Entry.newBuilder().setKey(name).setValue(value).build();
  }
}
