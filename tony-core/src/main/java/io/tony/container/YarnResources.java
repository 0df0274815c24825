package io.tony.container;

import io.tony.model.ResourceSpec;
import org.apache.hadoop.yarn.api.records.Resource;

/** Our resource request in YARN's type. */
public final class YarnResources {
  private YarnResources() {}

  public static Resource of(ResourceSpec spec) {
    Resource resource = Resource.newInstance(spec.memoryMiB(), spec.vcores());
    spec.others().forEach(resource::setResourceValue);
    return resource;
  }
}
