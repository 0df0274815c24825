package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Anything else: a rank, the size of the gang, the address of rank 0, and a store of the
 * ApplicationMaster in which the tasks can leave word for each other and wait for each other
 * (docs/frameworks.md, "generic"). Untracked tasks and sidecars have the store, but no rank.
 */
public final class GenericRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "generic";
  }

  @Override
  public StoreProtocol store() {
    return StoreProtocol.HTTP;
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    StoreAddress store = gang.storeAddress();
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("TONY_STORE_URL", "http://" + store.endpoint());
    environment.put("TONY_STORE_TOKEN", store.token());
    List<TaskId> ranked = gang.ranked();
    int rank = ranked.indexOf(task);
    if (rank >= 0) {
      environment.put("RANK", Integer.toString(rank));
      environment.put("WORLD_SIZE", Integer.toString(ranked.size()));
      environment.put("MASTER_ADDR", gang.endpoint(ranked.get(0)).host());
      environment.put("MASTER_PORT", Integer.toString(gang.endpoint(ranked.get(0)).port()));
    }
    return environment;
  }
}
