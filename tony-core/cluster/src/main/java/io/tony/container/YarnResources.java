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

/** Converts between {@link ResourceSpec} and YARN's {@code Resource}. */
public final class YarnResources {
  private YarnResources() {}

  /**
   * Returns the same amounts as a YARN {@code Resource}.
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
   * Makes the cluster's resource types known to this JVM, so that the class path need not contain
   * the cluster's resource-types.xml. Does nothing if all of these types are already known.
   */
  public static void registerTypes(List<ResourceTypeInfo> clusterTypes) {
    Set<String> knownTypes = ResourceUtils.getResourceTypes().keySet();
    if (!clusterTypes.stream().map(ResourceTypeInfo::getName).allMatch(knownTypes::contains)) {
      ResourceUtils.reinitializeResources(clusterTypes);
    }
  }

  /**
   * Returns a number of MiB: the scheduler rounds a container's memory up to a multiple of it. The
   * number is the FairScheduler's increment or the minimum allocation in the local configuration,
   * which may differ from the ResourceManager's.
   */
  public static long memoryStepMiB(Configuration conf) {
    return conf.get(YarnConfiguration.RM_SCHEDULER, "").endsWith("FairScheduler")
        ? conf.getLong("yarn.scheduler.increment-allocation-mb", 1024)
        : conf.getLong(
            YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
            YarnConfiguration.DEFAULT_RM_SCHEDULER_MINIMUM_ALLOCATION_MB);
  }

  /**
   * Converts YARN's {@code Resource}. Negative amounts, such as the free resources of a queue above
   * its limit, become 0.
   */
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
