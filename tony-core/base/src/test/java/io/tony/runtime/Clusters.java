package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Clusters for tests: {@code worker:1} listens at {@code worker-1.example.com:5001}. */
public final class Clusters {
  private static final Optional<StoreAddress> STORE =
      Optional.of(new StoreAddress(new Endpoint("am.example.com", 7000), "secret"));

  private Clusters() {}

  /** The whole job, started for the third time, with a store in case that somebody asks. */
  public static Gang gang(JobSpec job) {
    return new Gang(job, of(job), 2, STORE);
  }

  /** The part of a job that runs when some of its roles have ended already. */
  static Gang without(JobSpec job, String... ended) {
    Map<String, List<Endpoint>> left = new LinkedHashMap<>(of(job).endpoints());
    left.keySet().removeAll(List.of(ended));
    return new Gang(job, new ClusterSpec(left), 2, STORE);
  }

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
