package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.Map;

/**
 * What {@code hvd.init()} reads with the gloo controller, as horovodrun sets it (Horovod's {@code
 * horovod/runner/gloo_run.py}; no page of its documentation names the variables). Its workers meet
 * at a store of the ApplicationMaster, as they would at horovodrun's own server. One process per
 * container: each is a node of its own, so that {@code hvd.local_rank()} is 0, the only device that
 * a container sees.
 *
 * <p>{@code HOROVOD_GLOO_IFACE} is the user's to set where a node's host name does not stand for
 * the network that the workers are to use: only the node knows its interfaces.
 */
public final class HorovodRuntime extends RankedRuntime {
  /**
   * How long a worker waits for the others at the store, as in TonY; Horovod's own is 30 s, which a
   * worker that reads its data first does not keep.
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
