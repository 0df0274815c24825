package io.tony.client.doctor;

import io.tony.client.source.Site;
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
 * Checks the job type's folder in Azkaban: its files, and its settings in them and in the files of
 * all job types. The plugin checks the same whenever a job runs; here it is seen before.
 */
public final class PluginCheck {
  private static final String JOB_TYPE = "io.tony.azkaban.TonyJob";
  private static final String PATHS = "tony.client.allowed-paths";
  private static final String FILE_SYSTEMS = "tony.client.allowed-file-systems";
  private static final int LEAST_JAVA = 17;

  /** 8 of "1.8.0_392", 17 of "17.0.15". */
  private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?([0-9]{1,4})");

  private final Path folder;
  private final PluginProperties settings;
  private final List<String> problems = new ArrayList<>();
  private final List<String> doubts = new ArrayList<>();

  private PluginCheck(Path folder, PluginProperties settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /** Takes a folder as it is; a file that is missing is a finding. */
  public static PluginCheck of(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath().normalize();
    return new PluginCheck(absolute, PluginProperties.read(absolute));
  }

  /** The folder's name, which is the type of its jobs. */
  public String type() {
    return String.valueOf(folder.getFileName());
  }

  /** What jobs get from the administrator. */
  public Site site() {
    Map<String, String> defaults = new LinkedHashMap<>();
    settings
        .defaults()
        .forEach(
            (key, value) -> {
              // What a value refers to may be another thing in each job.
              if (key.startsWith("tony.")
                  && !key.startsWith("tony.client.")
                  && !value.isBlank()
                  && !value.contains("${")) {
                defaults.put(key, value.strip());
              }
            });
    return new Site(
        defaults,
        settings.list(PATHS).stream().map(Path::of).toList(),
        settings.list(FILE_SYSTEMS).stream().filter(Site::isFileSystem).toList());
  }

  Finding look(Configuration conf) throws IOException {
    problems.clear();
    doubts.clear();
    ClustersCheck clusters = ClustersCheck.of(folder, settings);
    files();
    java();
    if (!clusters.replacesTheGeneralOne()) {
      hadoop();
      configuration(conf);
    }
    problems.addAll(clusters.problems());
    doubts.addAll(clusters.doubts());
    users();
    allowed();
    if (!problems.isEmpty()) {
      return Finding.failed(
          String.join("; ", problems),
          "Copy the folder from the release again, or correct "
              + folder.resolve(PluginProperties.FILE));
    }
    return doubts.isEmpty()
        ? Finding.ok(folder + " is complete" + clusters.checked(HadoopCheck.folder(conf)))
        : Finding.warning(
            String.join("; ", doubts),
            "Set what is missing in " + folder.resolve(PluginProperties.FILE));
  }

  private void files() throws IOException {
    String type = settings.privates().getOrDefault("jobtype.class", "");
    if (!type.strip().equals(JOB_TYPE)) {
      problems.add(
          folder.resolve(PluginProperties.PRIVATE_FILE) + " has no jobtype.class=" + JOB_TYPE);
    }
    one(folder, "azkaban-jobtype-tony-");
    one(folder.resolve("lib"), "tony-core-");
  }

  /** Two of them are what an upgrade leaves that copied over the old files. */
  private void one(Path place, String prefix) throws IOException {
    List<String> found = List.of();
    if (Files.isDirectory(place)) {
      try (Stream<Path> files = Files.list(place)) {
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
          place
              + " holds "
              + (found.isEmpty()
                  ? "no " + prefix + "<version>.jar"
                  : found + ": remove the older"));
    }
  }

  private void java() throws IOException {
    Optional<Path> home = path("tony.client.java.home", "the Java that Azkaban runs on");
    if (home.isEmpty()) {
      return;
    }
    if (!Files.isExecutable(home.get().resolve("bin/java"))) {
      problems.add("tony.client.java.home is " + home.get() + ", which has no bin/java");
      return;
    }
    String version =
        PluginProperties.file(home.get().resolve("release"))
            .getOrDefault("JAVA_VERSION", "")
            .replace("\"", "");
    Matcher feature = FEATURE.matcher(version);
    if (feature.lookingAt() && Integer.parseInt(feature.group(1)) < LEAST_JAVA) {
      problems.add(
          "tony.client.java.home is "
              + home.get()
              + ", which is Java "
              + version
              + "; the client needs "
              + LEAST_JAVA);
    }
  }

  private void hadoop() {
    if (settings.setting("tony.client.classpath").isPresent()) {
      return; // it says where Hadoop's jars are instead
    }
    path("hadoop.home", "HADOOP_HOME of Azkaban's environment")
        .map(home -> home.resolve("share/hadoop/common"))
        .filter(common -> !Files.isDirectory(common))
        .ifPresent(common -> problems.add("hadoop.home is wrong: there is no " + common));
  }

  private void configuration(Configuration conf) {
    Optional<Path> named = path("hadoop.conf.dir", "HADOOP_CONF_DIR of Azkaban's environment");
    if (named.isEmpty()) {
      return;
    }
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      if (!Files.isReadable(named.get().resolve(file))) {
        problems.add("hadoop.conf.dir is wrong: there is no " + named.get().resolve(file));
      }
    }
    String mine = HadoopCheck.folder(conf);
    if (!named.get().toString().equals(mine)) {
      doubts.add(
          "hadoop.conf.dir is " + named.get() + ", and the other checks were made with " + mine);
    }
  }

  /** Azkaban checks whom a job may name where it is told to, and by default it is not. */
  private void users() throws IOException {
    Map<String, String> privates = settings.privates();
    String own =
        privates.getOrDefault(
            "azkaban.should.proxy.user", privates.getOrDefault("azkaban.should.proxy", ""));
    if (!Boolean.parseBoolean(own.strip())) {
      return;
    }
    Path azkaban = folder.resolve("../../../conf/azkaban.properties").normalize();
    String checks = PluginProperties.file(azkaban).getOrDefault("proxy.user.lock.down", "");
    if (!Boolean.parseBoolean(checks.strip())) {
      doubts.add(
          "jobs run as user.to.proxy, and "
              + azkaban
              + " has no proxy.user.lock.down=true, without which every project may name every"
              + " user");
    }
  }

  private void allowed() {
    for (String allowed : settings.list(PATHS)) {
      Path path = Path.of(allowed);
      boolean isOther = Files.exists(path) && !Files.isDirectory(path);
      if (!path.isAbsolute() || isOther || allowed.contains(File.pathSeparator)) {
        problems.add(PATHS + " names " + allowed + ", which is not the absolute path of a folder");
      } else if (!Files.exists(path)) {
        doubts.add(PATHS + " names " + allowed + ", which this machine does not have");
      }
    }
    settings.list(FILE_SYSTEMS).stream()
        .filter(fileSystem -> !Site.isFileSystem(fileSystem))
        .forEach(
            fileSystem ->
                problems.add(
                    FILE_SYSTEMS
                        + " names "
                        + fileSystem
                        + ", which is not SCHEME://HOST:PORT, SCHEME://NAME or SCHEME://* of"
                        + " another machine"));
  }

  /** A setting that names a place; without it, what counts instead is a doubt. */
  private Optional<Path> path(String key, String otherwise) {
    Optional<String> value = settings.setting(key);
    if (value.isEmpty()) {
      doubts.add(key + " is not set, so that " + otherwise + " counts");
    }
    return value.map(text -> Path.of(text).normalize());
  }
}
