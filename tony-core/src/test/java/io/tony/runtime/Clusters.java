package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Clusters for tests: {@code worker:1} listens at {@code worker-1.example.com:5001}. */
final class Clusters {
  private Clusters() {}

  static ClusterSpec of(JobSpec job) {
    Map<String, List<Endpoint>> members = new LinkedHashMap<>();
    for (RoleSpec role : job.roles()) {
      List<Endpoint> endpoints = new ArrayList<>();
      for (int index = 0; index < role.instances(); index++) {
        endpoints.add(new Endpoint(role.name() + "-" + index + ".example.com", 5000 + index));
      }
      members.put(role.name(), endpoints);
    }
    return new ClusterSpec(members);
  }
}
