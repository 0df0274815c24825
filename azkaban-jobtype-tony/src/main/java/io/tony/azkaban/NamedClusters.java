package io.tony.azkaban;

import azkaban.utils.Props;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The clusters that the administrator lists in {@code tony.client.clusters}, and the choice of one
 * of them by a job. The job only names a cluster; the cluster itself is defined in the
 * administrator's files. The administrator can restrict a cluster to some projects.
 */
final class NamedClusters {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

  /**
   * Azkaban's property with a link that contains the project's name. The name is taken from here
   * and not from {@code azkaban.flow.projectname}, because a job can override the latter, but not
   * this link: Azkaban sets it itself if {@code azkaban.webserver.url} is set.
   */
  private static final String PROJECT_LINK = "azkaban.link.workflow.url";

  private static final Pattern PROJECT =
      Pattern.compile("[^?#]*/manager\\?project=([A-Za-z0-9_-]+)&flow=.*", Pattern.DOTALL);

  private final SiteProperties site;
  private final List<String> names;
  private final Optional<String> project;

  private NamedClusters(SiteProperties site, List<String> names, Optional<String> project) {
    this.site = site;
    this.names = names;
    this.project = project;
  }

  /**
   * Reads the names of the clusters; there may be none.
   *
   * @throws JobFailedException if a name contains other characters than letters, digits, hyphens
   *     and underscores
   */
  static NamedClusters of(SiteProperties site, Props job) throws JobFailedException {
    List<String> names = site.list(SiteProperties.CLUSTERS);
    for (String name : names) {
      if (!NAME.matcher(name).matches()) {
        throw new JobFailedException(
            SiteProperties.CLUSTERS
                + " in the job type's "
                + SiteProperties.FILE
                + " names '"
                + name
                + "': a cluster's name has letters, digits, - and _ only. The administrator"
                + " corrects it.");
      }
    }
    Matcher link = PROJECT.matcher(job.getString(PROJECT_LINK, ""));
    return new NamedClusters(
        site, names, link.matches() ? Optional.of(link.group(1)) : Optional.empty());
  }

  /**
   * Returns the name of the cluster on which the job runs. Empty if the administrator lists no
   * clusters and the job names none.
   *
   * @param wanted the name that the job gives; if empty, the first cluster in the administrator's
   *     list is chosen
   * @throws JobFailedException if no cluster has this name, or if the job's project may not use the
   *     cluster
   */
  Optional<String> choose(String wanted) throws JobFailedException {
    if (names.isEmpty() && wanted.isEmpty()) {
      return Optional.empty();
    }
    if (names.isEmpty()) {
      throw new JobFailedException(
          StepCluster.OPTION
              + " is "
              + wanted
              + ", and the administrator of this Azkaban names no clusters ("
              + SiteProperties.CLUSTERS
              + "): remove it.");
    }
    String name = wanted.isEmpty() ? names.get(0) : wanted;
    if (!names.contains(name) || !isOpen(name)) {
      throw refusal(wanted, name);
    }
    return Optional.of(name);
  }

  private JobFailedException refusal(String wanted, String name) {
    List<String> open = new ArrayList<>();
    for (String candidate : names) {
      if (isOpen(candidate)) {
        open.add(candidate);
      }
    }
    String given =
        wanted.isEmpty()
            ? StepCluster.OPTION + " is not set, and the default cluster is " + name
            : StepCluster.OPTION + " is " + name;
    String remedy = open.isEmpty() ? "" : " Set " + StepCluster.OPTION + " to one of " + open + ".";
    return new JobFailedException(
        given
            + ": "
            + (names.contains(name)
                ? "the administrator has not opened it to " + projectDescription() + "."
                : "there is no cluster of this name.")
            + (open.isEmpty() ? " The project may use none of this Azkaban's clusters." : remedy));
  }

  private String projectDescription() {
    return project
        .map(name -> "the project " + name)
        .orElse(
            "projects whose name is not known: the administrator sets azkaban.webserver.url in"
                + " azkaban.properties");
  }

  private boolean isOpen(String name) {
    List<String> projects = site.list(key(name, "projects"));
    return projects.isEmpty() || project.filter(projects::contains).isPresent();
  }

  /**
   * Returns the administrator's settings for one cluster. If a setting has no value of its own for
   * this cluster, the map does not contain it, and the value for all clusters applies.
   *
   * @throws JobFailedException if the folder of the cluster's configuration is not set
   */
  Map<String, String> settings(String name) throws JobFailedException {
    Map<String, String> settings = new LinkedHashMap<>();
    String confDir = key(name, SiteProperties.HADOOP_CONF_DIR);
    settings.put(
        SiteProperties.HADOOP_CONF_DIR,
        site.setting(confDir)
            .orElseThrow(
                () ->
                    new JobFailedException(
                        SiteProperties.CLUSTERS
                            + " names the cluster "
                            + name
                            + ", and "
                            + confDir
                            + " is not set: the administrator sets it in the job type's "
                            + SiteProperties.FILE
                            + " to the folder of the cluster's core-site.xml and yarn-site.xml.")));
    site.setting(key(name, SiteProperties.HADOOP_HOME))
        .ifPresent(
            home -> {
              settings.put(SiteProperties.HADOOP_HOME, home);
              // This home contains the cluster's jars, so the class path that is set for all
              // clusters must not apply.
              settings.put(SiteProperties.CLASSPATH, "");
            });
    site.setting(key(name, "classpath"))
        .ifPresent(jars -> settings.put(SiteProperties.CLASSPATH, jars));
    return Collections.unmodifiableMap(settings);
  }

  private static String key(String name, String setting) {
    return SiteProperties.CLUSTER_PREFIX + name + "." + setting;
  }
}
