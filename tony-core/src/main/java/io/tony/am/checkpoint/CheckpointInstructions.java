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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What executors are told of checkpoints.
 *
 * @param folder of all sets
 */
record CheckpointInstructions(
    TonyConfig config, String application, Path folder, CheckpointOwners owners) {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointInstructions.class);

  /**
   * For a start of the task in this session.
   *
   * @param source whose checkpoint it goes on from
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
              .setTraining(training(config).get(0))
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

  /** Of all sets; null where the programs' own place for checkpoints is no path of Hadoop's. */
  static Path folder(String checkpoints) {
    try {
      return new Path(new Path(checkpoints), Manifest.FOLDER);
    } catch (IllegalArgumentException e) {
      LOG.warn("Programs keep their checkpoints themselves: {}", e.toString());
      return null;
    }
  }

  /**
   * Hashes of what the job trains: the first is written to its checkpoints, and those of each of
   * them are its own. One that is empty where the client has set none.
   */
  static List<String> training(TonyConfig config) {
    return config
        .find(CheckpointOptions.TRAINING)
        .filter(hashes -> !hashes.isEmpty())
        .orElse(List.of(""));
  }
}
