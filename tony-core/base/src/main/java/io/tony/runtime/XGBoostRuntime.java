package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import java.util.Map;

/**
 * Sets the variables for XGBoost's collective (its Python reference, {@code
 * xgboost.collective.init}): {@code DMLC_TRACKER_URI}, {@code DMLC_TRACKER_PORT} and {@code
 * DMLC_TASK_ID}, which the program passes as parameters of these names in lower case. The program
 * whose {@code RANK} is 0 starts the tracker ({@code xgboost.tracker.RabitTracker}) on its task's
 * port, for {@code DMLC_NUM_WORKER} workers. Task ids have leading zeros, so that a tracker with
 * {@code sortby="task"} numbers the workers by their ranks.
 */
public final class XGBoostRuntime extends RankedRuntime {
  @Override
  public String name() {
    return "xgboost";
  }

  @Override
  Map<String, String> environment(Gang gang, TaskId task, int rank) {
    Endpoint tracker = gang.endpoint(gang.first());
    return Map.of(
        "DMLC_TRACKER_URI",
        tracker.host(),
        "DMLC_TRACKER_PORT",
        Integer.toString(tracker.port()),
        "DMLC_TASK_ID",
        String.format("%06d", rank),
        "DMLC_NUM_WORKER",
        Integer.toString(gang.world()),
        "RANK",
        Integer.toString(rank));
  }
}
