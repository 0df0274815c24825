package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.PlacementOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.model.ResourceSpec;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the size and the node label of the ApplicationMaster's container from the configuration.
 */
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

  /**
   * Returns true if the settings for the ApplicationMaster's size are meant for a user's program.
   * LinkedIn's TonY runs such a program in the ApplicationMaster's container; TonY runs it as a
   * task in a container of its own.
   */
  private static boolean forProgram(TonyConfig config) {
    return config.get(JobOptions.ENABLE_PREPROCESS)
        || config.roles().stream()
            .allMatch(role -> config.get(RoleOptions.INSTANCES.at(role)) == 0);
  }

  /**
   * Returns the node label of containers that have no label of their own; empty for the queue's
   * default.
   */
  public static String applicationLabel(TonyConfig config) {
    return config.find(PlacementOptions.NODE_LABEL).map(String::strip).orElse("");
  }

  /** Returns the ApplicationMaster's own node label; empty if none is set. */
  public static String label(TonyConfig config) {
    return config.find(AmOptions.NODE_LABEL).map(String::strip).orElse("");
  }

  /**
   * Returns the key that sets the memory of a role's tasks. For a role without declared instances
   * (a preprocessing or single-node program), the key is the one of the ApplicationMaster's memory.
   */
  public static String memoryKey(TonyConfig config, String role) {
    return config.get(RoleOptions.INSTANCES.at(role)) > 0
        ? RoleOptions.MEMORY.at(role).key()
        : AmOptions.MEMORY.key();
  }
}
