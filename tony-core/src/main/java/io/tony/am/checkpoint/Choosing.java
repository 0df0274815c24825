package io.tony.am.checkpoint;

import io.tony.checkpoint.Manifest;
import io.tony.checkpoint.SetName;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ResumePolicy;
import io.tony.fact.CheckpointFact.Resumes;
import io.tony.fact.CheckpointFact.Source;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which checkpoint a start goes on from: the newest that was there before it. One that another
 * training made is a reason to start clean, and not to go back to an older one.
 *
 * @param training hashes of what the job trains
 */
record Choosing(SetFolders folders, Keepers keepers, ResumePolicy policy, List<String> training) {
  /**
   * For a gang: the newest set with a checkpoint of each task that keeps one, of the starts before
   * it. Its own are not for it: whoever chooses again for the same start finds the same.
   *
   * @param generation of the start
   */
  Choice forGang(String generation) throws IOException {
    if (policy == ResumePolicy.NEVER || keepers.all().isEmpty()) {
      return Choice.NOTHING;
    }
    for (SetName set : before(generation)) {
      Optional<Manifest> first = whole(set);
      if (first.isPresent()) {
        return Choice.of(judged(null, set, keepers.first(), first.get()));
      }
    }
    return ofOtherTasks(generation);
  }

  private List<SetName> before(String generation) throws IOException {
    return folders.sets().stream()
        .filter(set -> set.generation().compareTo(generation) < 0)
        .toList();
  }

  /**
   * The manifest of the first task; nothing where the set lacks any. Those of the others are not
   * read: a task's folder is there only when it is complete.
   */
  private Optional<Manifest> whole(SetName set) throws IOException {
    Set<String> there = folders.tasks(set);
    List<TaskId> all = keepers.all();
    if (!all.stream().allMatch(task -> there.contains(Manifest.folderOf(task)))) {
      return Optional.empty();
    }
    return folders
        .manifest(set, Manifest.folderOf(keepers.first()))
        .filter(manifest -> manifest.tasks() == all.size());
  }

  /** Nothing is whole for these tasks; it may be for more or fewer. */
  private Choice ofOtherTasks(String generation) throws IOException {
    int now = keepers.all().size();
    for (SetName set : before(generation)) {
      int then = folders.wholeOf(set);
      if (then > 0 && then != now) {
        return Choice.of(
            Resumes.clean(
                null,
                "the newest checkpoint is of "
                    + (then == 1 ? "1 task" : then + " tasks")
                    + ", and "
                    + now
                    + (now == 1 ? " keeps" : " keep")
                    + " one now"));
      }
    }
    return Choice.NOTHING;
  }

  /**
   * For a task that starts by itself: the newest of its own, or of the chief's, whatever others
   * have; also of the present start of the gang.
   *
   * @param heard the newest number that it is known to have used in that one
   */
  Choice forTask(TaskId task, TaskId source, String generation, long heard) throws IOException {
    Choice newest = newest(task, source, generation);
    return keepers.keeps(task)
        ? newest.countingFrom(Math.max(heard, counted(task, generation)))
        : newest;
  }

  private Choice newest(TaskId task, TaskId source, String generation) throws IOException {
    if (policy == ResumePolicy.NEVER) {
      return Choice.NOTHING;
    }
    String folder = Manifest.folderOf(source);
    for (SetName set : folders.sets()) {
      if (set.generation().compareTo(generation) <= 0 && folders.tasks(set).contains(folder)) {
        Optional<Manifest> manifest = folders.manifest(set, folder);
        if (manifest.isPresent()) {
          return Choice.of(judged(task, set, source, manifest.get()));
        }
      }
    }
    return Choice.NOTHING;
  }

  /** The newest number that the task has used in the present start of the gang; 0 for none. */
  private long counted(TaskId task, String generation) throws IOException {
    for (SetName set : folders.sets()) {
      if (set.generation().equals(generation)
          && folders.tasks(set).contains(Manifest.folderOf(task))) {
        return set.number();
      }
    }
    return 0;
  }

  private Resumes judged(TaskId task, SetName set, TaskId source, Manifest manifest) {
    Source from =
        new Source(
            set.toString(),
            set.number(),
            manifest.step(),
            manifest.made(),
            manifest.application(),
            manifest.maker(),
            folders.kept(set, source, manifest));
    if (policy == ResumePolicy.ALWAYS || training.contains(manifest.training())) {
      return Resumes.from(task, from);
    }
    return Resumes.clean(
        task,
        "the newest checkpoint ("
            + from.words()
            + ", by "
            + from.application()
            + ") was made with other commands, environment or files; "
            + CheckpointOptions.RESUME.key()
            + "=always uses it all the same");
  }
}
