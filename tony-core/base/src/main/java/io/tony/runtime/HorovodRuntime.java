package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.Map;

/**
 * Sets the variables that {@code hvd.init()} reads with the gloo controller, as horovodrun does (in
 * Horovod's {@code horovod/runner/gloo_run.py}; Horovod's documentation does not list them). The
 * workers find each other through a store in the ApplicationMaster instead of horovodrun's server.
 * Each container runs one process and counts as a node, so {@code hvd.local_rank()} is always 0,
 * the only device that the container sees.
 *
 * <p>{@code HOROVOD_GLOO_IFACE} is left to the user. It is needed if a node's host name does not
 * resolve to the network that the workers should use.
 */
public final class HorovodRuntime extends RankedRuntime {
  /**
   * How long, in seconds, a worker waits at the store for the others. Horovod's default of 30 s is
   * too short for workers that first read their data.
   */
  private static final String TIMEOUT_S = "2000";

  @Override
  public String name() {
    return "horovod";
  }

  @Override
  public StoreProtocol store() {
    return StoreProtocol.OPEN_HTTP;
  }

  @Override
  Map<String, String> environment(Gang gang, TaskId task, int rank) {
    StoreAddress store = gang.storeAddress();
    String size = Integer.toString(gang.world());
    Map<String, String> environment =
        withoutUserSet(gang, task, Map.of("HOROVOD_GLOO_TIMEOUT_SECONDS", TIMEOUT_S));
    environment.put("HOROVOD_CONTROLLER", "gloo");
    environment.put("HOROVOD_CPU_OPERATIONS", "gloo");
    environment.put("HOROVOD_GLOO_RENDEZVOUS_ADDR", store.endpoint().host());
    environment.put("HOROVOD_GLOO_RENDEZVOUS_PORT", Integer.toString(store.endpoint().port()));
    environment.put("HOROVOD_HOSTNAME", task.role() + "-" + task.index());
    environment.put("HOROVOD_RANK", Integer.toString(rank));
    environment.put("HOROVOD_SIZE", size);
    environment.put("HOROVOD_LOCAL_RANK", "0");
    environment.put("HOROVOD_LOCAL_SIZE", "1");
    environment.put("HOROVOD_CROSS_RANK", Integer.toString(rank));
    environment.put("HOROVOD_CROSS_SIZE", size);
    return environment;
  }
}
