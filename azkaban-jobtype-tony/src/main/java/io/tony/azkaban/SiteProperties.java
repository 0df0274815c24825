package io.tony.azkaban;

import azkaban.utils.Props;
import azkaban.utils.PropsUtils;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The administrator's properties: {@code plugin.properties} in the plugin's folder, and {@code
 * common.properties} in the parent folder. Azkaban merges both into the properties of each job,
 * where the job's own properties override them and their origin is not visible. This class reads
 * the files again for two reasons. First, some settings decide which program runs with the rights
 * of Azkaban's own user; they are taken only from the administrator's files, never from a job.
 * Second, the administrator's defaults must have a lower precedence than a {@code tony.xml},
 * whereas a job's own properties have a higher one.
 */
final class SiteProperties {

  static final String FILE = "plugin.properties";
  static final String COMMON_FILE = "common.properties";

  static final String JAVA_HOME = "tony.client.java.home";
  static final String CLASSPATH = "tony.client.classpath";
  static final String JVM_ARGS = "tony.client.jvm.args";
  static final String CACHE = "tony.client.cache";
  static final String HADOOP_HOME = "hadoop.home";
  static final String HADOOP_CONF_DIR = "hadoop.conf.dir";
  static final String ALLOWED_PATHS = "tony.client.allowed-paths";
  static final String ALLOWED_FILE_SYSTEMS = "tony.client.allowed-file-systems";
  static final String REFUSED_USERS = "tony.client.refused-users";
  static final String CLUSTERS = "tony.client.clusters";

  /**
   * Prefix of the settings for one of {@link #CLUSTERS}, followed by the cluster's name, a dot and
   * the setting.
   */
  static final String CLUSTER_PREFIX = "tony.client.cluster.";

  private static final Set<String> SETTINGS =
      Collections.unmodifiableSet(
          new LinkedHashSet<>(
              Arrays.asList(
                  JAVA_HOME,
                  CLASSPATH,
                  JVM_ARGS,
                  CACHE,
                  HADOOP_HOME,
                  HADOOP_CONF_DIR,
                  ALLOWED_PATHS,
                  ALLOWED_FILE_SYSTEMS,
                  REFUSED_USERS,
                  CLUSTERS)));

  /**
   * Options with the paths of a cluster's configuration files. They are passed to the client only
   * with the administrator's values, in which references are resolved with the administrator's
   * properties, because Azkaban's own user trusts the cluster that they define.
   */
  private static final Set<String> CLUSTER_FILES =
      Collections.unmodifiableSet(
          new LinkedHashSet<>(
              Arrays.asList("tony.application.hdfs-conf-path", "tony.application.yarn-conf-path")));

  /**
   * Matches a reference to another property in Azkaban's syntax, which is equal in all versions.
   */
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-zA-Z_.0-9]+)\\}");

  private final Props file;
  private final Props settings;

  private SiteProperties(Props file, Props settings) {
    this.file = file;
    this.settings = settings;
  }

  /**
   * Reads {@code plugin.properties} and {@code common.properties}; a missing file counts as empty.
   * A setting is looked up first in {@code plugin.properties}, then in the private properties, then
   * in {@code common.properties}.
   *
   * @param system the plugin's private properties, including those that all plugins share
   */
  static SiteProperties read(File pluginFolder, Props system) throws IOException {
    File common = new File(pluginFolder.getAbsoluteFile().getParentFile(), COMMON_FILE);
    Props shared = file(common, null);
    Props file = file(new File(pluginFolder, FILE), shared);
    Props settings = new Props();
    putAll(shared, settings);
    putAll(system, settings);
    Props own = new Props();
    own.putLocal(file);
    putAll(own, settings);
    return new SiteProperties(file, settings);
  }

  private static Props file(File path, @Nullable Props parent) throws IOException {
    return path.isFile() ? new Props(parent, path) : new Props(parent);
  }

  private static void putAll(Props from, Props to) {
    for (String key : from.getKeySet()) {
      if (from.get(key) != null) {
        to.put(key, from.get(key));
      }
    }
  }

  /**
   * Returns a copy for one of several clusters. The paths of configuration files that the
   * administrator sets for all clusters are dropped.
   *
   * @param ofCluster the settings for that cluster, which override those for all clusters; a blank
   *     value removes a setting
   */
  SiteProperties withCluster(Map<String, String> ofCluster) {
    Props own = new Props();
    putAll(settings, own);
    CLUSTER_FILES.forEach(key -> own.put(key, ""));
    ofCluster.forEach(own::put);
    return new SiteProperties(file, own);
  }

  /** Returns the keys of all settings that may have a different value for each cluster. */
  static Set<String> keysOfCluster() {
    Set<String> keys = new LinkedHashSet<>(SETTINGS);
    keys.remove(CLUSTERS);
    keys.addAll(CLUSTER_FILES);
    return keys;
  }

  /**
   * Returns true if the key is a setting of this plugin; such properties are not passed to the
   * client.
   */
  static boolean isSetting(String key) {
    return SETTINGS.contains(key) || key.startsWith(CLUSTER_PREFIX);
  }

  /**
   * Returns a setting's value without surrounding blanks; empty if the setting is missing or blank.
   */
  Optional<String> setting(String key) {
    String raw = settings.get(key);
    return raw == null
        ? Optional.empty()
        : Optional.of(resolve(key, raw, settings).trim()).filter(value -> !value.isEmpty());
  }

  /** Returns the non-blank parts of a comma-separated setting, without surrounding blanks. */
  List<String> list(String key) {
    List<String> parts = new ArrayList<>();
    for (String part : setting(key).orElse("").split(",", -1)) {
      if (!part.trim().isEmpty()) {
        parts.add(part.trim());
      }
    }
    return parts;
  }

  /**
   * Returns the {@code tony.*} properties that the job inherits from the administrator, without
   * this plugin's settings. A job that sets a property to exactly the administrator's value also
   * counts as inheriting it.
   */
  Map<String, String> defaultsIn(Props job) {
    Map<String, String> defaults = new TreeMap<>();
    CLUSTER_FILES.forEach(key -> setting(key).ifPresent(own -> defaults.put(key, own)));
    for (String key : file.getKeySet()) {
      String value = job.get(key);
      if (key.startsWith("tony.")
          && !CLUSTER_FILES.contains(key)
          && !isSetting(key)
          && value != null
          && isDefault(key, value, job)) {
        defaults.put(key, value);
      }
    }
    return defaults;
  }

  /**
   * Returns true if the job inherits the property from the administrator's files, or sets it to the
   * same value.
   */
  boolean isDefaultIn(Props job, String key) {
    String value = job.get(key);
    return value != null && isDefault(key, value, job);
  }

  /**
   * Returns the keys of this plugin's settings that the job sets to values of its own, which have
   * no effect.
   */
  Set<String> overriddenBy(Props job) {
    Set<String> keys = new LinkedHashSet<>(SETTINGS);
    for (String key : new TreeSet<>(job.getKeySet())) {
      if (key.startsWith(CLUSTER_PREFIX)) {
        keys.add(key);
      }
    }
    Set<String> overridden = new LinkedHashSet<>();
    for (String key : keys) {
      String value = job.get(key);
      // hadoop.home and hadoop.conf.dir are not reported: they are also properties of other
      // plugins, and Azkaban may have set them.
      if (key.startsWith("tony.") && value != null && !isDefault(key, value, job)) {
        overridden.add(key);
      }
    }
    return overridden;
  }

  private boolean isDefault(String key, String value, Props job) {
    String raw = file.get(key);
    if (raw == null) {
      return false;
    }
    try {
      return value.equals(resolve(key, raw, job));
    } catch (RuntimeException e) {
      // The administrator's value refers to a property that this job does not have. Azkaban could
      // not have resolved it, so the job sets its own value.
      return false;
    }
  }

  /**
   * Resolves the references in one value with Azkaban's own substitution. Only the properties to
   * which the value refers are resolved, because any other one might be unresolvable.
   */
  static String resolve(String key, String raw, Props scope) {
    Props needed = new Props();
    needed.put(key, raw);
    addReferences(raw, scope, needed);
    return PropsUtils.resolveProps(needed).get(key);
  }

  private static void addReferences(String raw, Props scope, Props needed) {
    Matcher matcher = REFERENCE.matcher(raw);
    while (matcher.find()) {
      String name = matcher.group(1);
      String value = scope.get(name);
      if (value != null && !needed.containsKey(name)) {
        needed.put(name, value);
        addReferences(value, scope, needed);
      }
    }
  }
}
