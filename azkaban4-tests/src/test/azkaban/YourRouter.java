package com.example;

import azkaban.cluster.Cluster;
import azkaban.cluster.ClusterRegistry;
import azkaban.cluster.ClusterRouter;
import azkaban.utils.Props;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.Logger;

/**
 * Sends a step to the clusters that its property {@code route.to} names, one for each attempt,
 * separated by commas. Azkaban makes one by its constructor.
 */
public final class YourRouter extends ClusterRouter {

  public YourRouter(ClusterRegistry clusters, Configuration configuration) {
    super(clusters, configuration);
  }

  @Override
  public Cluster getCluster(
      String jobId, Props jobProps, Logger jobLogger, Collection<String> components) {
    String[] names = jobProps.getString("route.to").split(",");
    return clusterRegistry.getCluster(names[jobProps.getInt("azkaban.job.attempt", 0)]);
  }
}
