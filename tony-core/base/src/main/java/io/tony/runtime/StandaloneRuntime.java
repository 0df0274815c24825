package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runtime for a single program without a framework, which gets only the variables that every task
 * has. Sidecars may run beside the program, and other roles before it.
 */
public final class StandaloneRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "standalone";
  }

  @Override
  public List<String> problems(JobSpec job) {
    Set<String> dependencies = new HashSet<>();
    job.roles().forEach(role -> dependencies.addAll(role.dependsOn()));
    int concurrent = 0;
    int maxInstances = 0;
    for (RoleSpec role : job.roles()) {
      if (role.supervision() != Supervision.SIDECAR) {
        maxInstances = Math.max(maxInstances, role.instances());
        concurrent += dependencies.contains(role.name()) ? 0 : role.instances();
      }
    }
    int programs = Math.max(maxInstances, concurrent);
    return programs <= 1
        ? List.of()
        : List.of(
            "tony.application.framework=standalone is one program, and the job has "
                + programs
                + " tasks that run at the same time: set tony.application.framework=generic, with"
                + " tony.{role}.retry-count where each is to be started again by itself, or lower"
                + " their instances to 1");
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    return Map.of();
  }
}
