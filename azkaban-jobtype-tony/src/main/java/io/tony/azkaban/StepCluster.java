package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.util.Optional;

/**
 * The cluster on which a step runs, with the administrator's settings for it. If Azkaban's router
 * chose a cluster, it is that one ({@link RoutedCluster}). Otherwise the step chooses among the
 * clusters that the administrator lists ({@link NamedClusters}). If none are listed, there is only
 * one cluster. A cluster's configuration, jars and Java are defined in the administrator's files
 * only.
 */
final class StepCluster {

  /** The option with which a step names its cluster. */
  static final String OPTION = "tony.cluster";

  private final Optional<String> name;
  private final SiteProperties site;
  private final String reason;

  private StepCluster(Optional<String> name, SiteProperties site, String reason) {
    this.name = name;
    this.site = site;
    this.reason = reason;
  }

  /**
   * Determines the cluster of a step.
   *
   * @param system the plugin's private properties, into which Azkaban's router copies the
   *     properties of the cluster that it chose
   * @throws JobFailedException if the private properties do not contain the cluster that the router
   *     chose, or if the step may not use the cluster that it names
   */
  static StepCluster of(File pluginFolder, SiteProperties site, Props system, Props job)
      throws JobFailedException, IOException {
    String wanted = job.getString(OPTION, "").trim();
    Optional<RoutedCluster> routed = RoutedCluster.of(pluginFolder, site, system, job);
    if (routed.isPresent()) {
      String chosen = routed.get().name();
      if (!wanted.isEmpty() && !wanted.equals(chosen) && !site.isDefaultIn(job, OPTION)) {
        throw new JobFailedException(
            OPTION
                + "="
                + wanted
                + " cannot be: Azkaban's router chose the cluster "
                + chosen
                + " for this step. Remove "
                + OPTION
                + ", or change what the router goes by.");
      }
      return new StepCluster(
          Optional.of(chosen),
          site.withCluster(routed.get().settings()),
          "Azkaban's router chose it");
    }
    NamedClusters named = NamedClusters.of(site, job);
    Optional<String> own = named.choose(wanted);
    if (!own.isPresent()) {
      return new StepCluster(own, site, "");
    }
    String reason = wanted.isEmpty() ? "the default; " + OPTION + " chooses another one" : OPTION;
    return new StepCluster(own, site.withCluster(named.settings(own.get())), reason);
  }

  /** Returns the cluster's name; empty if there is only one cluster. */
  Optional<String> name() {
    return name;
  }

  /** Returns the administrator's properties, with the settings of this cluster. */
  SiteProperties site() {
    return site;
  }

  /**
   * Returns a line for the step's log about the cluster and why it was chosen; empty if there is
   * only one cluster.
   */
  Optional<String> logLine() {
    return name.map(cluster -> "The step runs on the cluster " + cluster + " (" + reason + ").");
  }
}
