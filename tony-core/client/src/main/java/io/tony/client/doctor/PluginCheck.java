package io.tony.client.doctor;

import io.tony.client.input.SiteSettings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Checks the job type's folder in Azkaban: its files, its settings, and Azkaban's settings for all
 * job types. Finds before any job runs what the job type itself checks before each job.
 */
public final class PluginCheck {
  private static final String JOB_TYPE = "io.tony.azkaban.TonyJob";
  private static final String ALLOWED_PATHS = "tony.client.allowed-paths";
  private static final String ALLOWED_FILE_SYSTEMS = "tony.client.allowed-file-systems";
  private static final int MIN_JAVA_VERSION = 17;

  /** Matches the feature version in the full version of Java: 8 in "1.8.0_392", 17 in "17.0.15". */
  private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?([0-9]{1,4})");

  private final Path folder;
  private final PluginProperties settings;
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  private PluginCheck(Path folder, PluginProperties settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /** Reads the settings of a job type's folder. If a file is missing, {@link #check} reports it. */
  public static PluginCheck of(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath().normalize();
    return new PluginCheck(absolute, PluginProperties.read(absolute));
  }

  /** Returns the folder's name, which is the {@code type} of the steps that use it. */
  public String type() {
    return String.valueOf(folder.getFileName());
  }

  /** Returns the Azkaban administrator's settings for the steps of all projects. */
  public SiteSettings site() {
    Map<String, String> defaults = new LinkedHashMap<>();
    settings
        .defaults()
        .forEach(
            (key, value) -> {
              // Skip values with references, because Azkaban resolves them for each step.
              if (key.startsWith("tony.")
                  && !key.startsWith("tony.client.")
                  && !value.isBlank()
                  && !value.contains("${")) {
                defaults.put(key, value.strip());
              }
            });
    return new SiteSettings(
        defaults,
        settings.list(ALLOWED_PATHS).stream().map(Path::of).toList(),
        settings.list(ALLOWED_FILE_SYSTEMS).stream().filter(SiteSettings::isFileSystem).toList());
  }

  Finding check(Configuration conf) throws IOException {
    problems.clear();
    warnings.clear();
    ClustersCheck clusters = ClustersCheck.of(folder, settings);
    checkFiles();
    checkJava();
    if (!clusters.replacesDefaultCluster()) {
      checkHadoop();
      checkConfiguration(conf);
    }
    problems.addAll(clusters.problems());
    warnings.addAll(clusters.warnings());
    checkUsers();
    checkAllowed();
    if (!problems.isEmpty()) {
      return Finding.failed(
          String.join("; ", problems),
          "Copy the folder from the release again, or correct "
              + folder.resolve(PluginProperties.FILE));
    }
    return warnings.isEmpty()
        ? Finding.ok(folder + " is complete" + clusters.confDirNote(HadoopCheck.folder(conf)))
        : Finding.warning(
            String.join("; ", warnings),
            "Set what is missing in " + folder.resolve(PluginProperties.FILE));
  }

  private void checkFiles() throws IOException {
    String type = settings.privates().getOrDefault("jobtype.class", "");
    if (!type.strip().equals(JOB_TYPE)) {
      problems.add(
          folder.resolve(PluginProperties.PRIVATE_FILE) + " has no jobtype.class=" + JOB_TYPE);
    }
    checkSingleJar(folder, "azkaban-jobtype-tony-");
    checkSingleJar(folder.resolve("lib"), "tony-core-");
  }

  /**
   * Adds a problem unless the folder contains exactly one jar whose name begins with {@code
   * prefix}. After an upgrade that left the old files in place, there are two.
   */
  private void checkSingleJar(Path directory, String prefix) throws IOException {
    List<String> found = List.of();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        found =
            files
                .map(file -> file.getFileName().toString())
                .filter(name -> name.startsWith(prefix) && name.endsWith(".jar"))
                .sorted()
                .toList();
      }
    }
    if (found.size() != 1) {
      problems.add(
          directory
              + " holds "
              + (found.isEmpty()
                  ? "no " + prefix + "<version>.jar"
                  : found + ": remove the older"));
    }
  }

  private void checkJava() throws IOException {
    Optional<Path> home = pathOrWarn("tony.client.java.home", "the Java that Azkaban runs on");
    if (home.isEmpty()) {
      return;
    }
    if (!Files.isExecutable(home.get().resolve("bin/java"))) {
      problems.add("tony.client.java.home is " + home.get() + ", which has no bin/java");
      return;
    }
    String version =
        PluginProperties.readFile(home.get().resolve("release"))
            .getOrDefault("JAVA_VERSION", "")
            .replace("\"", "");
    Matcher feature = FEATURE.matcher(version);
    if (feature.lookingAt() && Integer.parseInt(feature.group(1)) < MIN_JAVA_VERSION) {
      problems.add(
          "tony.client.java.home is "
              + home.get()
              + ", which is Java "
              + version
              + "; the client needs "
              + MIN_JAVA_VERSION);
    }
  }

  private void checkHadoop() {
    if (settings.setting("tony.client.classpath").isPresent()) {
      return; // hadoop.home is not used if tony.client.classpath is set
    }
    pathOrWarn("hadoop.home", "HADOOP_HOME of Azkaban's environment")
        .map(home -> home.resolve("share/hadoop/common"))
        .filter(common -> !Files.isDirectory(common))
        .ifPresent(common -> problems.add("hadoop.home is wrong: there is no " + common));
  }

  private void checkConfiguration(Configuration conf) {
    Optional<Path> confDir =
        pathOrWarn("hadoop.conf.dir", "HADOOP_CONF_DIR of Azkaban's environment");
    if (confDir.isEmpty()) {
      return;
    }
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      if (!Files.isReadable(confDir.get().resolve(file))) {
        problems.add("hadoop.conf.dir is wrong: there is no " + confDir.get().resolve(file));
      }
    }
    String clientConfDir = HadoopCheck.folder(conf);
    if (!confDir.get().toString().equals(clientConfDir)) {
      warnings.add(
          "hadoop.conf.dir is "
              + confDir.get()
              + ", and the other checks were made with "
              + clientConfDir);
    }
  }

  /**
   * Adds a warning if a project may run its steps as any user: Azkaban restricts {@code
   * user.to.proxy} only if {@code proxy.user.lock.down} is set, which by default it is not.
   */
  private void checkUsers() throws IOException {
    Map<String, String> privates = settings.privates();
    String proxySetting =
        privates.getOrDefault(
            "azkaban.should.proxy.user", privates.getOrDefault("azkaban.should.proxy", ""));
    if (!Boolean.parseBoolean(proxySetting.strip())) {
      return;
    }
    Path azkaban = folder.resolve("../../../conf/azkaban.properties").normalize();
    String lockDown = PluginProperties.readFile(azkaban).getOrDefault("proxy.user.lock.down", "");
    if (!Boolean.parseBoolean(lockDown.strip())) {
      warnings.add(
          "jobs run as user.to.proxy, and "
              + azkaban
              + " has no proxy.user.lock.down=true, without which every project may name every"
              + " user");
    }
  }

  private void checkAllowed() {
    for (String allowedPath : settings.list(ALLOWED_PATHS)) {
      Path path = Path.of(allowedPath);
      boolean isNoFolder = Files.exists(path) && !Files.isDirectory(path);
      if (!path.isAbsolute() || isNoFolder || allowedPath.contains(File.pathSeparator)) {
        problems.add(
            ALLOWED_PATHS
                + " names "
                + allowedPath
                + ", which is not the absolute path of a folder");
      } else if (!Files.exists(path)) {
        warnings.add(
            ALLOWED_PATHS + " names " + allowedPath + ", which this machine does not have");
      }
    }
    settings.list(ALLOWED_FILE_SYSTEMS).stream()
        .filter(fileSystem -> !SiteSettings.isFileSystem(fileSystem))
        .forEach(
            fileSystem ->
                problems.add(
                    ALLOWED_FILE_SYSTEMS
                        + " names "
                        + fileSystem
                        + ", which is not SCHEME://HOST:PORT, SCHEME://NAME or SCHEME://* of"
                        + " another machine"));
  }

  /**
   * Returns the path in a setting; if the setting is missing, adds a warning and returns empty.
   *
   * @param fallback text for the warning: what the job type uses instead of the setting
   */
  private Optional<Path> pathOrWarn(String key, String fallback) {
    Optional<String> value = settings.setting(key);
    if (value.isEmpty()) {
      warnings.add(key + " is not set, so that " + fallback + " counts");
    }
    return value.map(text -> Path.of(text).normalize());
  }
}
