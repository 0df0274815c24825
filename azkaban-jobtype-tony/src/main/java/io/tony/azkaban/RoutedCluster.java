package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that Azkaban's router chose for a step. Azkaban copies the cluster's {@code
 * cluster.properties} into the job's properties, where they cannot be distinguished from the job's
 * own. Those that are listed in {@code azkaban.plugin.load.override.props} are also copied into the
 * job type's private properties, which a job cannot write. Only the private properties are trusted.
 */
final class RoutedCluster {

  private static final String ID = "azkaban.job.cluster.id";
  private static final String COMPONENTS = "jobtype.dependency.components";
  private static final String NOT_FOR_PROCESSES = "jobtype.dependency.components.excluded";
  private static final String LIBRARY_PREFIX = "library.path.";
  private static final String OVERRIDE = "azkaban.plugin.load.override.props";

  private static final String PRIVATE_FILE = "private.properties";
  private static final String COMMON_PRIVATE_FILE = "commonprivate.properties";

  private static final String ENV = "env.";
  private static final String ENV_CONF_DIR = ENV + "HADOOP_CONF_DIR";
  private static final String ENV_HOME = ENV + "HADOOP_HOME";

  /**
   * The properties that may contain the path of a cluster's configuration folder, in order of
   * preference.
   */
  private static final List<String> CONF_DIRS =
      Collections.unmodifiableList(
          Arrays.asList(ENV_CONF_DIR, ENV + "YARN_CONF_DIR", SiteProperties.HADOOP_CONF_DIR));

  private final String name;
  private final Map<String, String> settings;

  private RoutedCluster(String name, Map<String, String> settings) {
    this.name = name;
    this.settings = Collections.unmodifiableMap(settings);
  }

  /**
   * Returns the cluster that the router chose; empty if it chose none. If the router does not route
   * this job type (a job can trigger the router with {@code job.dependency.components}), the choice
   * counts only if the private properties contain the cluster's configuration and the administrator
   * lists no clusters.
   *
   * @param system the plugin's private properties for this step, with those that the router copied
   * @throws JobFailedException if the router chose a cluster for this job type and the private
   *     properties do not contain the cluster's configuration
   */
  static Optional<RoutedCluster> of(File pluginFolder, SiteProperties site, Props system, Props job)
      throws JobFailedException, IOException {
    String name = job.getString(ID, "").trim();
    boolean isRouted = !list(system, COMPONENTS).isEmpty();
    boolean isNamed = !site.list(SiteProperties.CLUSTERS).isEmpty();
    if (name.isEmpty() || (isNamed && !isRouted)) {
      return Optional.empty();
    }
    // If clusters are listed, the job's properties are not used: a step could repeat values of the
    // administrator's files and so pretend that the router chose a cluster.
    CopiedProperties copied =
        new CopiedProperties(system, ownProperties(pluginFolder), isNamed ? new Props() : job);
    Optional<String> confDir = copied.first(CONF_DIRS);
    if (isRouted) {
      refuseUnknown(name, confDir.isPresent(), system, job);
    }
    return confDir.map(folder -> new RoutedCluster(name, settings(folder, copied, system)));
  }

  /**
   * Reads the private properties from the administrator's files, as they are before the router
   * copies a cluster's properties into them.
   */
  private static Props ownProperties(File pluginFolder) throws IOException {
    File shared = new File(pluginFolder.getAbsoluteFile().getParentFile(), COMMON_PRIVATE_FILE);
    File own = new File(pluginFolder, PRIVATE_FILE);
    Props common = shared.isFile() ? new Props(null, shared) : new Props();
    Props props = own.isFile() ? new Props(common, own) : new Props(common);
    props.put("plugin.dir", pluginFolder.getAbsolutePath());
    return props;
  }

  /**
   * Throws an exception if the private properties do not contain the configuration of the chosen
   * cluster, or if the job has a variable of a cluster ({@link Variables}) whose value in the
   * private properties is missing or different.
   */
  private static void refuseUnknown(String name, boolean hasConfDir, Props system, Props job)
      throws JobFailedException {
    Set<String> missing = new TreeSet<>();
    if (!hasConfDir) {
      missing.add(ENV_CONF_DIR);
    }
    for (String variable : Variables.OF_CLUSTERS) {
      String value = job.get(ENV + variable);
      if (value != null && !value.equals(system.get(ENV + variable))) {
        missing.add(ENV + variable);
      }
    }
    if (!missing.isEmpty()) {
      throw new JobFailedException(
          "Azkaban's router chose the cluster "
              + name
              + " for this step, and the job type cannot believe what the job's properties say of"
              + " it: the administrator adds "
              + String.join(",", missing)
              + " to "
              + OVERRIDE
              + " in azkaban.properties, and sets "
              + (hasConfDir ? "them" : ENV_CONF_DIR)
              + " in the cluster.properties of each cluster. A step that sets one of them itself"
              + " removes it.");
    }
  }

  private static Map<String, String> settings(
      String confDir, CopiedProperties copied, Props system) {
    Map<String, String> settings = new LinkedHashMap<>();
    libraries(copied, system).ifPresent(jars -> settings.put(SiteProperties.CLASSPATH, jars));
    for (String key : SiteProperties.keysOfCluster()) {
      copied.get(key).ifPresent(value -> settings.put(key, value));
    }
    copied.get(ENV_HOME).ifPresent(home -> settings.put(SiteProperties.HADOOP_HOME, home));
    settings.put(SiteProperties.HADOOP_CONF_DIR, confDir);
    return settings;
  }

  /**
   * Returns the class path of the components on which the job type depends; empty if none is set.
   * Azkaban's own list of jars ({@code azkaban.job.cluster.classpaths}) is not used, because it
   * also contains the jars of components that a job names.
   */
  private static Optional<String> libraries(CopiedProperties copied, Props system) {
    List<String> components = new ArrayList<>(list(system, COMPONENTS));
    components.removeAll(list(system, NOT_FOR_PROCESSES));
    List<String> jars = new ArrayList<>();
    for (String component : components) {
      copied.get(LIBRARY_PREFIX + component).ifPresent(jars::add);
    }
    return jars.isEmpty() ? Optional.empty() : Optional.of(String.join(File.pathSeparator, jars));
  }

  private static List<String> list(Props props, String key) {
    List<String> parts = new ArrayList<>();
    for (String part : props.getString(key, "").split(",", -1)) {
      if (!part.trim().isEmpty()) {
        parts.add(part.trim());
      }
    }
    return parts;
  }

  /** Returns the cluster's name, which is the name of its folder in Azkaban. */
  String name() {
    return name;
  }

  /**
   * Returns the administrator's settings for the cluster. A missing setting has the value that the
   * administrator sets for all clusters.
   */
  Map<String, String> settings() {
    return settings;
  }

  /**
   * Environment variables that the properties of a cluster may set for the processes of jobs. The
   * cluster's values take precedence over the job's.
   */
  private static final class Variables {
    private static final List<String> OF_CLUSTERS =
        Collections.unmodifiableList(
            Arrays.asList(
                "HADOOP_HOME",
                "HADOOP_COMMON_HOME",
                "HADOOP_YARN_HOME",
                "HADOOP_HDFS_HOME",
                "HADOOP_MAPRED_HOME",
                "HADOOP_CONF_DIR",
                "YARN_CONF_DIR"));
  }

  /**
   * The private properties that the router copied from the chosen cluster. A property counts as
   * copied if its value differs from the administrator's files, or if the job has the same value,
   * because Azkaban copies all properties of the cluster into the job. A job that repeats a value
   * of the administrator's files gains nothing if there is only one cluster.
   */
  private static final class CopiedProperties {
    private final Props system;
    private final Props files;
    private final Props job;

    CopiedProperties(Props system, Props files, Props job) {
      this.system = system;
      this.files = files;
      this.job = job;
    }

    Optional<String> get(String key) {
      String value = system.get(key);
      if (value == null || value.trim().isEmpty()) {
        return Optional.empty();
      }
      boolean isOfFiles = value.equals(resolved(key));
      return !isOfFiles || value.equals(job.get(key))
          ? Optional.of(value.trim())
          : Optional.empty();
    }

    Optional<String> first(List<String> keys) {
      for (String key : keys) {
        Optional<String> value = get(key);
        if (value.isPresent()) {
          return value;
        }
      }
      return Optional.empty();
    }

    private @Nullable String resolved(String key) {
      String raw = files.get(key);
      try {
        return raw == null ? null : SiteProperties.resolve(key, raw, files);
      } catch (RuntimeException e) {
        // A reference in the value cannot be resolved. The result does not matter then, because
        // Azkaban would not have loaded this job type.
        return raw;
      }
    }
  }
}
