package io.tony.am.checkpoint;

import io.tony.config.declared.CheckpointOptions;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tasks of a job that save checkpoints (owners), and the task whose checkpoint each task
 * resumes from.
 *
 * @param all the owners: only the chief, or all tasks of some roles
 * @param chiefOnly whether only the chief saves checkpoints, from which all tasks resume
 */
record CheckpointOwners(JobSpec job, List<TaskId> all, boolean chiefOnly) {
  CheckpointOwners {
    all = List.copyOf(all);
  }

  /** Returns the owners of a job whose option {@code tony.checkpoint.roles} has this value. */
  static CheckpointOwners of(JobSpec job, List<String> roles) {
    if (CheckpointOptions.isChiefOnly(roles)) {
      return new CheckpointOwners(job, List.of(job.chief()), true);
    }
    List<TaskId> tasks = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      for (int index = 0; roles.contains(role.name()) && index < role.instances(); index++) {
        tasks.add(new TaskId(role.name(), index));
      }
    }
    return new CheckpointOwners(job, tasks, false);
  }

  /**
   * Returns whether the task saves checkpoints. Returns false for a task that the job does not
   * have.
   */
  boolean isOwner(TaskId task) {
    return chiefOnly
        ? task.equals(job.chief())
        : all.stream().anyMatch(owner -> owner.role().equals(task.role()))
            && task.index() < job.role(task.role()).instances();
  }

  /**
   * Returns the task whose checkpoint the given task resumes from; empty if the given task never
   * resumes from a checkpoint.
   */
  Optional<TaskId> sourceTask(TaskId task) {
    if (!chiefOnly) {
      return isOwner(task) ? Optional.of(task) : Optional.empty();
    }
    boolean tracked = job.role(task.role()).supervision() == Supervision.TRACKED;
    return tracked || isOwner(task) ? Optional.of(job.chief()) : Optional.empty();
  }

  /** Returns the chief if it is an owner, else the first owner. */
  TaskId first() {
    return isOwner(job.chief()) ? job.chief() : all.get(0);
  }
}
