package io.tony.am.checkpoint;

import io.tony.checkpoint.Manifest;
import io.tony.checkpoint.SetName;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.Keeping;
import io.tony.protocol.proto.TonyProtos.Resume;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What executors are told of checkpoints.
 *
 * @param folder of all sets
 */
record Told(TonyConfig config, String application, Path folder, Keepers keepers) {
  private static final Logger LOG = LoggerFactory.getLogger(Told.class);

  /**
   * For a start of the task in this session.
   *
   * @param source whose checkpoint it goes on from
   */
  Checkpoints of(TaskId task, int session, TaskId source, Choice choice) {
    Checkpoints.Builder told =
        Checkpoints.newBuilder()
            .setFolder(folder.toString())
            .setCopyTimeoutMs(CopyLimit.of(config).toMillis());
    if (keepers.keeps(task)) {
      told.setKeeping(
          Keeping.newBuilder()
              .setGeneration(SetName.generation(application, session))
              .setCounted(choice.counted())
              .setTasks(keepers.all().size())
              .setTraining(training(config).get(0))
              .setApplication(application)
              .setMaker(Maker.of(config)));
    }
    choice
        .from()
        .ifPresent(
            from ->
                told.setResume(
                    Resume.newBuilder()
                        .setSet(from.set())
                        .setTask(Manifest.folderOf(source))
                        .setNumber(from.number())));
    return told.build();
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
