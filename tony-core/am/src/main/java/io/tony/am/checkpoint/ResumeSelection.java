package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ResumePolicy;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.event.CheckpointFact.SourceCheckpoint;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the checkpoint that a start resumes from: the newest one made before the start. If that
 * one was made by a different training and the policy is not {@link ResumePolicy#ALWAYS}, the start
 * is clean; an older checkpoint is never used instead.
 *
 * @param trainingHashes hashes that identify what the job trains
 */
record ResumeSelection(
    CheckpointListing folders,
    CheckpointOwners owners,
    ResumePolicy policy,
    List<String> trainingHashes) {
  /**
   * Returns where the gang resumes. Considers the newest complete checkpoint set that was saved
   * before the current start: it contains a checkpoint of each task that saves checkpoints (owner),
   * and as many tasks saved it as there are owners now. The gang starts clean if there is no such
   * set, or if a different training made it. Sets of the current start are ignored, so that
   * repeated calls for one start return the same result.
   *
   * @param generation application and session of the current start
   */
  ResumePoint forGang(String generation) throws IOException {
    if (policy == ResumePolicy.NEVER || owners.all().isEmpty()) {
      return ResumePoint.NONE;
    }
    for (CheckpointName set : setsBefore(generation)) {
      Optional<Manifest> first = completeManifest(set);
      if (first.isPresent()) {
        return ResumePoint.of(decide(null, set, owners.first(), first.get()));
      }
    }
    return cleanIfTaskCountChanged(generation);
  }

  private List<CheckpointName> setsBefore(String generation) throws IOException {
    return folders.sets().stream()
        .filter(set -> set.generation().compareTo(generation) < 0)
        .toList();
  }

  /**
   * Returns the manifest of the first owner's checkpoint; empty if the set lacks a checkpoint of
   * any owner or was made by another number of tasks. Does not read the other manifests: a task's
   * folder exists only when its checkpoint is complete.
   */
  private Optional<Manifest> completeManifest(CheckpointName set) throws IOException {
    Set<String> savedTasks = folders.tasks(set);
    List<TaskId> all = owners.all();
    if (!all.stream().allMatch(task -> savedTasks.contains(Manifest.folderOf(task)))) {
      return Optional.empty();
    }
    return folders
        .manifest(set, Manifest.folderOf(owners.first()))
        .filter(manifest -> manifest.taskCount() == all.size());
  }

  /**
   * Returns the resume point for a gang for which no set is complete: a clean start with a reason
   * if a set is complete for another number of tasks; else {@link ResumePoint#NONE}.
   */
  private ResumePoint cleanIfTaskCountChanged(String generation) throws IOException {
    int currentCount = owners.all().size();
    for (CheckpointName set : setsBefore(generation)) {
      int previousCount = folders.completeTaskCount(set);
      if (previousCount > 0 && previousCount != currentCount) {
        return ResumePoint.of(
            ResumeDecision.clean(
                null,
                "the newest checkpoint is of "
                    + (previousCount == 1 ? "1 task" : previousCount + " tasks")
                    + ", and "
                    + currentCount
                    + (currentCount == 1 ? " keeps" : " keep")
                    + " one now"));
      }
    }
    return ResumePoint.NONE;
  }

  /**
   * Selects for a task that restarts alone the newest checkpoint of {@code source} (the task itself
   * or the chief), whatever other tasks have saved. The checkpoint may have been made in the gang's
   * current start.
   *
   * @param lastReported highest checkpoint number that the task has reported in the gang's current
   *     start; 0 if none
   */
  ResumePoint forTask(TaskId task, TaskId source, String generation, long lastReported)
      throws IOException {
    ResumePoint newest = newest(task, source, generation);
    return owners.isOwner(task)
        ? newest.withLastNumber(Math.max(lastReported, lastNumber(task, generation)))
        : newest;
  }

  private ResumePoint newest(TaskId task, TaskId source, String generation) throws IOException {
    if (policy == ResumePolicy.NEVER) {
      return ResumePoint.NONE;
    }
    String folder = Manifest.folderOf(source);
    for (CheckpointName set : folders.sets()) {
      if (set.generation().compareTo(generation) <= 0 && folders.tasks(set).contains(folder)) {
        Optional<Manifest> manifest = folders.manifest(set, folder);
        if (manifest.isPresent()) {
          return ResumePoint.of(decide(task, set, source, manifest.get()));
        }
      }
    }
    return ResumePoint.NONE;
  }

  /**
   * Returns the highest number of the task's checkpoints that are listed for this generation (the
   * gang's current start); 0 if none.
   */
  private long lastNumber(TaskId task, String generation) throws IOException {
    for (CheckpointName set : folders.sets()) {
      if (set.generation().equals(generation)
          && folders.tasks(set).contains(Manifest.folderOf(task))) {
        return set.number();
      }
    }
    return 0;
  }

  private ResumeDecision decide(
      @Nullable TaskId task, CheckpointName set, TaskId source, Manifest manifest) {
    SourceCheckpoint from =
        new SourceCheckpoint(
            set.toString(),
            set.number(),
            manifest.isStep(),
            manifest.createdAt(),
            manifest.application(),
            manifest.creator(),
            folders.dataUri(set, source, manifest));
    if (policy == ResumePolicy.ALWAYS || trainingHashes.contains(manifest.trainingHash())) {
      return ResumeDecision.from(task, from);
    }
    return ResumeDecision.clean(
        task,
        "the newest checkpoint ("
            + from.displayName()
            + ", by "
            + from.application()
            + ") was made with other commands, environment or files; "
            + CheckpointOptions.RESUME.key()
            + "=always uses it all the same");
  }
}
