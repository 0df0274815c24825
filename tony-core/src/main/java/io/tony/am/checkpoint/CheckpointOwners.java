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
 * Which tasks of a job keep checkpoints, and from whose checkpoint each goes on.
 *
 * @param all the chief alone, or all tasks of some roles
 * @param chiefOnly whether it is the chief alone, for all others
 */
record CheckpointOwners(JobSpec job, List<TaskId> all, boolean chiefOnly) {
  CheckpointOwners {
    all = List.copyOf(all);
  }

  /** Of the roles that an option names. */
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

  /** False also of a task that the job does not have. */
  boolean isOwner(TaskId task) {
    return chiefOnly
        ? task.equals(job.chief())
        : all.stream().anyMatch(owner -> owner.role().equals(task.role()))
            && task.index() < job.role(task.role()).instances();
  }

  /** Whose checkpoint the task goes on from; nothing where it is to begin anew. */
  Optional<TaskId> source(TaskId task) {
    if (!chiefOnly) {
      return isOwner(task) ? Optional.of(task) : Optional.empty();
    }
    boolean tracked = job.role(task.role()).supervision() == Supervision.TRACKED;
    return tracked || isOwner(task) ? Optional.of(job.chief()) : Optional.empty();
  }

  /** The chief where it keeps any; else the first of them. */
  TaskId first() {
    return isOwner(job.chief()) ? job.chief() : all.get(0);
  }
}
