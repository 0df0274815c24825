package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Sets variables for the network parameters of LightGBM (its page "Parameters", section "Network
 * Parameters"): {@code machines}, {@code num_machines} and {@code local_listen_port}. LightGBM does
 * not read the environment: the program passes {@code LIGHTGBM_MACHINES} and the other variables as
 * the parameters of these names. {@code LIGHTGBM_MACHINES} contains host names, but LightGBM finds
 * its own entry by IP address, so the program must resolve the names first.
 */
public final class LightGbmRuntime extends RankedRuntime {
  /** Maximum number of tasks: Linux limits {@code LIGHTGBM_MACHINES} to 128 KiB. */
  static final int MAX_MACHINES = TaskEnvironment.MAX_TASKS_IN_VARIABLE;

  @Override
  public String name() {
    return "lightgbm";
  }

  @Override
  Map<String, String> environment(Gang gang, TaskId task, int rank) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("LIGHTGBM_MACHINES", machines(gang));
    environment.put("LIGHTGBM_NUM_MACHINES", Integer.toString(gang.world()));
    environment.put("LIGHTGBM_LOCAL_LISTEN_PORT", Integer.toString(gang.endpoint(task).port()));
    environment.put("RANK", Integer.toString(rank));
    return environment;
  }

  private static String machines(Gang gang) {
    return gang.once(
        "lightgbm.machines",
        () ->
            gang.ranked().stream()
                .map(task -> gang.endpoint(task).toString())
                .collect(Collectors.joining(",")));
  }

  @Override
  public List<String> problems(JobSpec job) {
    List<String> problems = new ArrayList<>(super.problems(job));
    if (job.trackedTaskCount() > MAX_MACHINES) {
      problems.add(
          "lightgbm gets its machines from the variable LIGHTGBM_MACHINES, which holds at most "
              + MAX_MACHINES
              + "; the job has "
              + job.trackedTaskCount()
              + " tracked tasks. Lower tony.<role>.instances");
    }
    return problems;
  }
}
