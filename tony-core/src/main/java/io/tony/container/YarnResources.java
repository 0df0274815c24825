package io.tony.container;

import io.tony.model.ResourceSpec;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.api.records.ResourceTypeInfo;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/** Converts between {@link ResourceSpec} and YARN's type. */
public final class YarnResources {
  private YarnResources() {}

  /**
   * Returns the resources in YARN's type.
   *
   * @throws org.apache.hadoop.yarn.exceptions.ResourceNotFoundException for a resource type that is
   *     unknown to this JVM; see {@link #registerTypes}
   */
  public static Resource of(ResourceSpec spec) {
    Resource resource = Resource.newInstance(spec.memoryMiB(), spec.vcores());
    spec.others().forEach(resource::setResourceValue);
    return resource;
  }

  /**
   * Registers the cluster's resource types in this JVM, so that the class path need not contain the
   * cluster's resource-types.xml. Does nothing if all types are already known.
   */
  public static void registerTypes(List<ResourceTypeInfo> clusterTypes) {
    Set<String> knownTypes = ResourceUtils.getResourceTypes().keySet();
    if (!clusterTypes.stream().map(ResourceTypeInfo::getName).allMatch(knownTypes::contains)) {
      ResourceUtils.reinitializeResources(clusterTypes);
    }
  }

  /**
   * Returns the step, in MiB, to whose multiples the scheduler rounds a container's memory, as far
   * as the local configuration shows: the minimum allocation, or the FairScheduler's own increment.
   */
  public static long memoryStepMiB(Configuration conf) {
    return conf.get(YarnConfiguration.RM_SCHEDULER, "").endsWith("FairScheduler")
        ? conf.getLong("yarn.scheduler.increment-allocation-mb", 1024)
        : conf.getLong(
            YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
            YarnConfiguration.DEFAULT_RM_SCHEDULER_MINIMUM_ALLOCATION_MB);
  }

  /** Converts YARN's resources. Negative amounts (a queue above its limit) become 0. */
  public static ResourceSpec spec(Resource resource) {
    SortedMap<String, Long> others = new TreeMap<>();
    for (ResourceInformation information : resource.getResources()) {
      String name = information.getName();
      if (!name.equals(ResourceInformation.MEMORY_URI)
          && !name.equals(ResourceInformation.VCORES_URI)) {
        others.put(name, Math.max(0, information.getValue()));
      }
    }
    return new ResourceSpec(
        Math.max(0, resource.getMemorySize()), Math.max(0, resource.getVirtualCores()), others);
  }
}
