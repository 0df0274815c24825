package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;

/** One number per tracked task, from 0, for frameworks that know no roles. The chief has 0. */
final class Ranks {
  private Ranks() {}

  static int world(JobSpec job) {
    return job.trackedTasks();
  }

  /** The rank of a tracked task: the chief's role comes first, then the others as declared. */
  static int of(JobSpec job, TaskId task) {
    String first = job.chief().role();
    if (task.role().equals(first)) {
      return task.index();
    }
    int before = job.role(first).instances();
    for (RoleSpec role : job.roles()) {
      if (role.name().equals(task.role())) {
        return before + task.index();
      }
      if (!role.name().equals(first) && role.supervision() == Supervision.TRACKED) {
        before += role.instances();
      }
    }
    throw new IllegalArgumentException(task + " has no rank in " + job.name());
  }
}
