package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import java.util.Map;

/**
 * What XGBoost's collective needs (its Python reference, {@code xgboost.collective.init}): {@code
 * DMLC_TRACKER_URI}, {@code DMLC_TRACKER_PORT} and {@code DMLC_TASK_ID}, which the program passes
 * as the parameters of the same names in lower case; and for the program of rank 0, which starts
 * the tracker ({@code xgboost.tracker.RabitTracker}) at its task's port, {@code RANK} and {@code
 * DMLC_NUM_WORKER}. Task ids have leading zeros, so that a tracker with {@code sortby="task"}
 * numbers the workers by their ranks.
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
