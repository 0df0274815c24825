package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Runtime for frameworks without a runtime of their own. Each task gets its rank, the number of
 * ranks, the address of rank 0, and a store in the ApplicationMaster through which tasks exchange
 * values and wait for each other (docs/frameworks.md, "generic"). Untracked tasks and sidecars get
 * the store, but no rank.
 */
public final class GenericRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "generic";
  }

  @Override
  public boolean canJoin() {
    return true;
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
    int rank = gang.rank(task);
    if (rank >= 0) {
      Endpoint master = gang.endpoint(gang.first());
      environment.put("RANK", Integer.toString(rank));
      environment.put("WORLD_SIZE", Integer.toString(gang.world()));
      environment.put("MASTER_ADDR", master.host());
      environment.put("MASTER_PORT", Integer.toString(master.port()));
    }
    return environment;
  }
}
