package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.PlacementOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.model.ResourceSpec;
import java.util.SortedMap;
import java.util.TreeMap;

/** How large the ApplicationMaster's container is, and where it may be. */
public final class MasterRequest {
  private MasterRequest() {}

  public static ResourceSpec resource(TonyConfig config) {
    SortedMap<String, Long> others = new TreeMap<>();
    long gpus = config.get(AmOptions.GPUS);
    if (gpus > 0 && !forProgram(config)) {
      others.put(ResourceSpec.GPU, gpus);
    }
    return new ResourceSpec(config.get(AmOptions.MEMORY), config.get(AmOptions.VCORES), others);
  }

  /** True when what is asked for the ApplicationMaster is meant for a program: that has a task. */
  private static boolean forProgram(TonyConfig config) {
    return config.get(JobOptions.ENABLE_PREPROCESS)
        || config.roles().stream()
            .allMatch(role -> config.get(RoleOptions.INSTANCES.at(role)) == 0);
  }

  /**
   * The node label of all containers that have none of their own; empty for the queue's default.
   */
  public static String applicationLabel(TonyConfig config) {
    return config.find(PlacementOptions.NODE_LABEL).map(String::strip).orElse("");
  }

  /** The ApplicationMaster's own node label; empty where it has none. */
  public static String label(TonyConfig config) {
    return config.find(AmOptions.NODE_LABEL).map(String::strip).orElse("");
  }

  /**
   * By which key the memory of a role's tasks is asked for: a program that has no role of its own,
   * for preprocessing or a single node, has what is asked for the ApplicationMaster.
   */
  public static String memoryKey(TonyConfig config, String role) {
    return config.get(RoleOptions.INSTANCES.at(role)) > 0
        ? RoleOptions.MEMORY.at(role).key()
        : AmOptions.MEMORY.key();
  }
}
