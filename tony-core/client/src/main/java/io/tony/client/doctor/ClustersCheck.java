package io.tony.client.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks the settings of a job type that can use several clusters: those listed in {@code
 * tony.client.clusters}, and those among which Azkaban's cluster router chooses.
 */
final class ClustersCheck {
  private static final String CLUSTERS = "tony.client.clusters";
  private static final String PREFIX = "tony.client.cluster.";
  private static final String COMPONENTS = "jobtype.dependency.components";
  private static final String ROUTER = "azkaban.cluster.router";
  private static final String OVERRIDE = "azkaban.plugin.load.override.props";

  /**
   * Keys of the properties that may name the folder of a cluster's Hadoop configuration, in the
   * settings of Azkaban's cluster router.
   */
  private static final List<String> CONF_DIRS =
      List.of("env.HADOOP_CONF_DIR", "env.YARN_CONF_DIR", "hadoop.conf.dir");

  private final PluginProperties properties;
  private final Path azkabanFolder;
  private final Map<String, String> serverProperties;
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  private ClustersCheck(
      PluginProperties properties, Path azkabanFolder, Map<String, String> serverProperties) {
    this.properties = properties;
    this.azkabanFolder = azkabanFolder;
    this.serverProperties = serverProperties;
  }

  /**
   * Checks the settings of all clusters, and returns the check with its problems; there are none if
   * the installation has only one cluster.
   *
   * @param folder the job type's folder in Azkaban
   */
  static ClustersCheck of(Path folder, PluginProperties properties) throws IOException {
    Path azkabanFolder = folder.resolve("../../..").normalize();
    ClustersCheck check =
        new ClustersCheck(
            properties,
            azkabanFolder,
            PluginProperties.readFile(azkabanFolder.resolve("conf/azkaban.properties")));
    for (String name : properties.list(CLUSTERS)) {
      check.checkCluster(name);
    }
    check.checkUnusedSettings();
    check.checkRouter();
    return check;
  }

  List<String> problems() {
    return problems;
  }

  List<String> warnings() {
    return warnings;
  }

  /**
   * Returns true if every step runs on a listed or routed cluster, so that the job type's own
   * {@code hadoop.conf.dir} is never used.
   */
  boolean replacesDefaultCluster() {
    return !properties.list(CLUSTERS).isEmpty() || isRouted();
  }

  /**
   * Returns which of the clusters the other checks of {@code tony doctor} have used; an empty text
   * if there is only one cluster. The text is a clause that callers append to the result of a
   * check: {@code ; the clusters are …}.
   *
   * @param folder folder of the Hadoop configuration that the other checks have used
   */
  String confDirNote(String folder) {
    if (isRouted()) {
      return "; Azkaban's router chooses the cluster, and the other checks were made with "
          + folder;
    }
    return properties.list(CLUSTERS).isEmpty()
        ? ""
        : "; the clusters are "
            + String.join(", ", properties.list(CLUSTERS))
            + ", and the other checks were made with "
            + folder;
  }

  private void checkCluster(String name) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9_-]*")) {
      problems.add(
          CLUSTERS + " names '" + name + "': a cluster's name has letters, digits, - and _ only");
      return;
    }
    String conf = PREFIX + name + ".hadoop.conf.dir";
    Optional<String> confDir = properties.setting(conf);
    if (confDir.isEmpty()) {
      problems.add(CLUSTERS + " names " + name + ", and " + conf + " is not set");
    }
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      confDir
          .map(folder -> Path.of(folder, file))
          .filter(path -> !Files.isReadable(path))
          .ifPresent(path -> problems.add(conf + " is wrong: there is no " + path));
    }
    checkJars(name);
    if (!properties.list(PREFIX + name + ".projects").isEmpty()
        && serverProperties.getOrDefault("azkaban.webserver.url", "").isBlank()) {
      warnings.add(
          PREFIX
              + name
              + ".projects needs azkaban.webserver.url in "
              + azkabanFolder.resolve("conf/azkaban.properties")
              + ": without it the job type does not know which project a step is of");
    }
  }

  private void checkJars(String name) {
    String classpath = PREFIX + name + ".classpath";
    String home = PREFIX + name + ".hadoop.home";
    Optional<String> jars = properties.setting(classpath);
    if (jars.isPresent()) {
      boolean exists =
          Stream.of(jars.get().split(File.pathSeparator, -1))
              .map(entry -> entry.endsWith("*") ? entry.substring(0, entry.length() - 1) : entry)
              .anyMatch(entry -> !entry.isBlank() && Files.exists(Path.of(entry)));
      if (!exists) {
        problems.add("no entry of " + classpath + " exists: " + jars.get());
      }
      return;
    }
    Optional<Path> own = properties.setting(home).map(Path::of);
    own.map(folder -> folder.resolve("share/hadoop/common"))
        .filter(common -> !Files.isDirectory(common))
        .ifPresent(common -> problems.add(home + " is wrong: there is no " + common));
  }

  /**
   * Adds a warning for each cluster that has settings but is not listed in {@code
   * tony.client.clusters}.
   */
  private void checkUnusedSettings() {
    List<String> named = properties.list(CLUSTERS);
    for (String name : properties.namesAfter(PREFIX)) {
      if (!named.contains(name)) {
        warnings.add(PREFIX + name + ".* has no effect: " + CLUSTERS + " does not name " + name);
      }
    }
  }

  private boolean isRouted() {
    return hasRouter() && !properties.privates().getOrDefault(COMPONENTS, "").isBlank();
  }

  private boolean hasRouter() {
    return !serverProperties
        .getOrDefault(ROUTER, "DisabledClusterRouter")
        .endsWith("DisabledClusterRouter");
  }

  private void checkRouter() throws IOException {
    if (!hasRouter()) {
      return;
    }
    if (!isRouted()) {
      warnings.add(
          "Azkaban has a router ("
              + ROUTER
              + "), and it does not choose for this job type: "
              + PluginProperties.PRIVATE_FILE
              + " has no "
              + COMPONENTS);
      return;
    }
    List<String> overrideKeys =
        PluginProperties.splitList(serverProperties.getOrDefault(OVERRIDE, ""));
    if (overrideKeys.stream().noneMatch(CONF_DIRS::contains)) {
      problems.add(
          azkabanFolder.resolve("conf/azkaban.properties")
              + " has no "
              + CONF_DIRS.get(0)
              + " in "
              + OVERRIDE
              + ", without which every step is refused");
      return;
    }
    Path clusters =
        azkabanFolder.resolve(
            serverProperties.getOrDefault("azkaban.cluster.dir", "cluster").strip());
    if (!Files.isDirectory(clusters)) {
      // cannot be checked: the path may be relative to the folder in which Azkaban was started
      return;
    }
    try (Stream<Path> folders = Files.list(clusters)) {
      for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) {
        Map<String, String> cluster =
            PluginProperties.readFile(folder.resolve("cluster.properties"));
        if (CONF_DIRS.stream()
            .noneMatch(key -> overrideKeys.contains(key) && cluster.containsKey(key))) {
          warnings.add(
              folder.resolve("cluster.properties")
                  + " has no "
                  + CONF_DIRS.get(0)
                  + ", without which steps that Azkaban's router sends there are refused");
        }
      }
    }
  }
}
