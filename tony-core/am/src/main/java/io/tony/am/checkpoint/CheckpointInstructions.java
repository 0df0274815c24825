package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.Resume;
import io.tony.protocol.proto.TonyProtos.UploadSettings;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the checkpoint instructions that executors get: where a task saves checkpoints and which
 * one it resumes from.
 *
 * @param folder parent folder of all checkpoint sets
 */
record CheckpointInstructions(
    TonyConfig config, String application, Path folder, CheckpointOwners owners) {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointInstructions.class);

  /**
   * Returns the instructions for a start of the task in this session of the gang.
   *
   * @param source task whose checkpoint the task resumes from
   */
  Checkpoints of(TaskId task, int session, TaskId source, ResumePoint resumePoint) {
    Checkpoints.Builder builder =
        Checkpoints.newBuilder()
            .setFolder(folder.toString())
            .setCopyTimeoutMs(CopyLimit.of(config).toMillis());
    if (owners.isOwner(task)) {
      builder.setUpload(
          UploadSettings.newBuilder()
              .setGeneration(CheckpointName.generation(application, session))
              .setCounted(resumePoint.lastNumber())
              .setTasks(owners.all().size())
              .setTraining(trainingHashes(config).get(0))
              .setApplication(application)
              .setMaker(CheckpointCreator.of(config)));
    }
    resumePoint
        .source()
        .ifPresent(
            from ->
                builder.setResume(
                    Resume.newBuilder()
                        .setSet(from.set())
                        .setTask(Manifest.folderOf(source))
                        .setNumber(from.number())));
    return builder.build();
  }

  /**
   * Returns the parent folder of all checkpoint sets; null if {@code checkpoints}, the configured
   * folder, is not a valid Hadoop path.
   */
  static @Nullable Path folder(String checkpoints) {
    try {
      return new Path(new Path(checkpoints), Manifest.FOLDER);
    } catch (IllegalArgumentException e) {
      LOG.warn("Programs keep their checkpoints themselves: {}", e.toString());
      return null;
    }
  }

  /**
   * Returns hashes that identify what the job trains; a single empty hash if the client has set
   * none. The job's checkpoints contain the first hash. A checkpoint with any of the hashes belongs
   * to the same training.
   */
  static List<String> trainingHashes(TonyConfig config) {
    return config
        .find(CheckpointOptions.TRAINING)
        .filter(hashes -> !hashes.isEmpty())
        .orElse(List.of(""));
  }
}
