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

/** Resources in our type and in YARN's. */
public final class YarnResources {
  private YarnResources() {}

  /**
   * In YARN's type.
   *
   * @throws org.apache.hadoop.yarn.exceptions.ResourceNotFoundException for a resource type that
   *     this JVM has not learned of
   */
  public static Resource of(ResourceSpec spec) {
    Resource resource = Resource.newInstance(spec.memoryMiB(), spec.vcores());
    spec.others().forEach(resource::setResourceValue);
    return resource;
  }

  /**
   * Learns the cluster's resource types, so that a client's or a node's class path need not hold
   * its resource-types.xml. Types that this JVM knows already stay as they are.
   */
  public static void learn(List<ResourceTypeInfo> ofCluster) {
    Set<String> knownTypes = ResourceUtils.getResourceTypes().keySet();
    if (!ofCluster.stream().map(ResourceTypeInfo::getName).allMatch(knownTypes::contains)) {
      ResourceUtils.reinitializeResources(ofCluster);
    }
  }

  /**
   * Of which the scheduler makes a container's memory a multiple, in MiB, as far as this node's
   * configuration tells: the least container, but for the FairScheduler, which has a step of its
   * own.
   */
  public static long memoryStepMiB(Configuration conf) {
    return conf.get(YarnConfiguration.RM_SCHEDULER, "").endsWith("FairScheduler")
        ? conf.getLong("yarn.scheduler.increment-allocation-mb", 1024)
        : conf.getLong(
            YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
            YarnConfiguration.DEFAULT_RM_SCHEDULER_MINIMUM_ALLOCATION_MB);
  }

  /** In our type; what is less than nothing (a queue beyond its limit) is nothing. */
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
